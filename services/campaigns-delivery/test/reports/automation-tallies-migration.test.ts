import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { migrate } from '@lettergate/database/migrate'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { insertAutomationEmails, insertFacts, insertHandOff } from '../message-rows.ts'

const before = schema.migrations.findIndex(({ name }) => name.startsWith('035-'))
let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ ...schema, migrations: schema.migrations.slice(0, before) }] })
})
afterAll(() => stage.close())

test('the migration counts the stored emails of automations by the hour of their steps', async () => {
  const [workspaceId, automationId] = [newId(), newId()]
  const emailsOf = async (state: string, count: number) => {
    const messageIds = Array.from({ length: count }, newId)
    const email = { workspaceId, originId: automationId, automationId, batch: count, messageIds, connectionId: newId() }
    await insertAutomationEmails(stage, email)
    await insertHandOff(stage, { ...email, id: newId(), kind: 'automation', state })
    return messageIds.map((messageId) => ({ workspaceId, originId: automationId, messageId }))
  }
  const began = new Date()
  const [opened, delivered, bounced] = await emailsOf('accepted', 4)
  const [proven] = await emailsOf('unknown', 2)
  await insertFacts(stage, opened!, [{ fact: 'opened' }])
  await insertFacts(stage, delivered!, [{ fact: 'delivered' }, { fact: 'opened' }])
  await insertFacts(stage, bounced!, [{ fact: 'delivered' }, { fact: 'provider_suppressed' }])
  await insertFacts(stage, proven!, [{ fact: 'delivered' }])

  await migrate(stage.adminUrl, schema)

  const hours = await stage.query<{ hour: Date }>('select distinct hour from campaigns.automation_tallies')
  for (const { hour } of hours) expect(began.getTime() - hour.getTime()).toBeLessThan(3_600_000)
  const summed = `select kind, sum(messages)::int as messages from campaigns.automation_tallies group by 1 order by 1`
  const stored = [
    { kind: 'accepted', messages: 4 },
    { kind: 'delivered', messages: 2 },
    { kind: 'hard_bounced', messages: 1 },
  ]
  expect(await stage.query(summed)).toEqual(stored)

  // From now on triggers count.
  await insertFacts(stage, proven!, [{ fact: 'delivered', at: new Date(0) }, { fact: 'hard_bounced' }])
  await stage.query(`update campaigns.hand_offs set state = 'accepted' where state = 'unknown'`)
  await stage.query(`update campaigns.hand_offs set reason = 'again'`)
  expect(await stage.query(summed)).toEqual([
    { kind: 'accepted', messages: 6 },
    { kind: 'delivered', messages: 1 },
    { kind: 'hard_bounced', messages: 2 },
  ])
})
