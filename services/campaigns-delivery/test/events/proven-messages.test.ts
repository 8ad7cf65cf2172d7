import { create, fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { GetCampaignRunReportRequestSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { MessageAcceptedSchema, MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { getCampaignRunReport } from '../../src/reports/get-campaign-run-report.ts'
import { at } from '../events-stage.ts'
import { openFacts, type FactsStage, type RecipientBefore } from '../facts-stage.ts'

let s: FactsStage
beforeAll(async () => {
  s = await openFacts()
})
afterAll(() => s.close())

/** Reports an open of each of these recipients three days after the hand-off. Answers the messages announced as accepted. */
async function announcedAfterOpens(recipients: readonly RecipientBefore[]) {
  const { runId, messageIds } = await s.run(recipients)
  const reported = { event: 'opened', second: 3 * 86_400 }
  await s.arrive(messageIds.map((messageId) => ({ id: newId(), messageId, reported })))
  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from campaigns.outbox where event = 'message_accepted' order by id`,
  )
  return rows
    .map(({ payload }) => fromBinary(MessageAcceptedSchema, payload))
    .filter((event) => event.runId === runId)
    .flatMap(({ acceptedAt, recipients: accepted }) =>
      accepted.map(({ messageId }) => ({ recipient: messageIds.indexOf(messageId), at: timestampDate(acceptedAt!) })),
    )
    .sort((a, b) => a.recipient - b.recipient)
}

test('a message that only an event proves counts for the minimum interval from its hand-off, not from the event', async () => {
  const proven: RecipientBefore[] = [
    { batch: 1, state: 'unknown' },
    { batch: 1, state: 'claimed' },
    { batch: 2, putBacks: 2 },
  ]
  expect(await announcedAfterOpens(proven)).toEqual(proven.map((_, recipient) => ({ recipient, at: at(0) })))
})

test('a message that was put back and then accepted is not announced again', async () => {
  expect(await announcedAfterOpens([{ batch: 1, state: 'accepted', putBacks: 2 }])).toEqual([])
})

test('a bounce or complaint proves a message that was skipped or failed after its hand-off was lost, as after a restore: the contact is suppressed, and the report counts it as sent', async () => {
  const { runId, messageIds } = await s.run([
    { batch: 1, end: 'skipped' },
    { batch: 1, end: 'failed' },
    { batch: 2, end: 'skipped', putBacks: 1 },
    { batch: 1, end: 'skipped' },
    { batch: 2, end: 'failed' },
  ])
  await s.stage.query('update campaigns.delivery_batches set done_at = now() where run_id = $1', [runId])
  const hardBounce = { event: 'failed', severity: 'permanent', reason: 'bounce', second: 70 }
  const events = [hardBounce, { event: 'complained', second: 80 }, hardBounce].map((reported, index) => {
    return { id: newId(), messageId: messageIds[index]!, reported }
  })
  await s.arrive(events)
  await s.arrive(events)

  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from campaigns.outbox where event = 'message_settled' order by id`,
  )
  const announced = rows
    .flatMap(({ payload }) => fromBinary(MessageSettledSchema, payload).messages)
    .filter((message) => message.runId === runId)
    .map(({ messageId, contactId, fact }) => ({
      recipient: messageIds.indexOf(messageId),
      contact: messageIds.indexOf(contactId),
      fact,
    }))
    .sort((a, b) => a.recipient - b.recipient)
  expect(announced).toEqual([
    { recipient: 0, contact: 0, fact: 'hard_bounced' },
    { recipient: 1, contact: 1, fact: 'complained' },
    { recipient: 2, contact: 2, fact: 'hard_bounced' },
  ])
  const { report } = await getCampaignRunReport(s.ctx, create(GetCampaignRunReportRequestSchema, { runId }))
  expect(report).toMatchObject({
    sent: 3,
    hardBounced: 2,
    noTerminalEvent: 1,
    complained: 1,
    skipped: 1,
    skipReasons: { refused: 1 },
    failed: 1,
  })
})
