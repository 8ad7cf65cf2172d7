import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
afterAll(() => rig.close())

test('counts and outcomes of a report are read at one moment, also while events arrive', async () => {
  const audience = await rig.audience()
  const people = Array.from({ length: 60 }, (_, n) => `person${n}+silent@example.org`)
  await Promise.all(people.map((email) => rig.subscriber(audience, email)))
  const { campaignId } = await rig.draft(audience)
  const { id } = await rig.schedule(campaignId)
  await until(
    async () => {
      const { run, report } = await rig.report(id)
      return run.state === 'completed' && report.events['accepted'] === people.length
    },
    { what: 'all recipients to be accepted' },
  )

  // Does what the consumer does for each event: the outcome of the recipient and the count commit together.
  const consumer = new pg.Client({ connectionString: rig.stage.adminUrl, options: '-c app.system=test' })
  await consumer.connect()
  const settle = async () => {
    const { rows } = await consumer.query<{ id: string }>('select id from campaigns.run_recipients where run_id = $1', [
      id,
    ])
    for (const recipient of rows) {
      await consumer.query('begin')
      await consumer.query(
        `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact) values ($1, $2, $3, 'delivered')`,
        [rig.workspaceId, id, recipient.id],
      )
      await consumer.query(
        `insert into campaigns.event_counts (workspace_id, origin_id, kind, count) values ($1, $2, 'delivered', 1)
         on conflict (workspace_id, origin_id, kind, slot) do update set count = campaigns.event_counts.count + 1`,
        [rig.workspaceId, id],
      )
      await consumer.query('commit')
    }
  }
  const settling = settle()
  let seen = 0
  while (seen < people.length) {
    const { report } = await rig.report(id)
    expect(report.events['delivered']).toBe(report.delivered)
    expect(report.delivered + report.hardBounced + report.softFailedOnly + report.noTerminalEvent).toBe(report.sent)
    seen = report.delivered
  }
  await settling
  await consumer.end()
})
