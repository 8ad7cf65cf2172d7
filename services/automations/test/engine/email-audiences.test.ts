import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { loadConfig } from '../../src/config.ts'
import { start } from '../../src/service.ts'
import { onSubscription, sequence, wait } from './definitions.ts'
import { openEmailRuntime, type EmailRuntime } from './email-runtime.ts'

let s: EmailRuntime
beforeAll(async () => {
  s = await openEmailRuntime()
  await s.stage.boot('automations', start, loadConfig, { ...s.targets, ROLE: 'worker' })
})
afterAll(() => s.close())

const day = 86_400

test('who unsubscribes from the audience of the trigger gets no other email, also not under an audience of theirs', async () => {
  const [ofTrigger, other] = [await s.audience(), await s.audience()]
  const steps = [s.emailNode(), wait(day), s.emailNode()]
  const automationId = await s.published(sequence(onSubscription(ofTrigger), steps), ofTrigger)
  await s.subscriber(other, 'ada@example.org', 'Ada')
  const contactId = await s.subscriber(ofTrigger, 'ada@example.org', 'Ada')
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: await firstAudience(automationId) })
  await s.endWait(automationId)
  await s.ended(automationId, 1)
  expect(await emailsOf(automationId)).toEqual([
    { outcome: 'accepted', audience_id: ofTrigger, reasons: [] },
    { outcome: 'skipped', audience_id: null, reasons: expect.arrayContaining(['consent_withdrawn']) },
  ])
  expect(await s.messagesTo('ada@example.org')).toHaveLength(1)
})

test('after a tag, every email is sent under the audience of the first one', async () => {
  const audiences = [await s.audience(), await s.audience()]
  const { tag } = await s.contacts.registerTag(s.us, { name: 'client' })
  const steps = [s.emailNode(), wait(day), s.emailNode(), wait(day), s.emailNode()]
  const trigger = { type: 'tag_added', config: { tag: 'client' } }
  const automationId = await s.published(sequence(trigger, steps), tag!.id)
  for (const audienceId of audiences) await s.subscriber(audienceId, 'bo@example.org', 'Bo')
  const contactId = await s.subscriber(audiences[0]!, 'bo@example.org', 'Bo')
  await s.contacts.applyTag(s.us, { contactId, tag: 'client' })
  const first = await firstAudience(automationId)
  await s.endWait(automationId)
  await emailsDone(automationId, 2)
  await s.contacts.unsubscribeContact(s.us, { contactId, audienceId: first })
  await s.endWait(automationId)
  await s.ended(automationId, 1)
  expect(audiences).toContain(first)
  expect(await emailsOf(automationId)).toEqual([
    { outcome: 'accepted', audience_id: first, reasons: [] },
    { outcome: 'accepted', audience_id: first, reasons: [] },
    { outcome: 'skipped', audience_id: null, reasons: expect.arrayContaining(['consent_withdrawn']) },
  ])
  expect(await s.messagesTo('bo@example.org')).toHaveLength(2)
})

async function emailsOf(automationId: string) {
  const steps = await s.stepsOf(automationId)
  return steps
    .filter(({ node_key: key }) => key.endsWith('send_email'))
    .map(({ outcome, audience_id, reasons }) => ({ outcome, audience_id, reasons }))
}
const emailsDone = (automationId: string, count: number) =>
  until(async () => (await emailsOf(automationId)).length >= count && emailsOf(automationId), {
    what: `${count} emails`,
  })
/** The audience of the first email, when it is sent. */
const firstAudience = async (automationId: string) => (await emailsDone(automationId, 1))[0]!.audience_id!
