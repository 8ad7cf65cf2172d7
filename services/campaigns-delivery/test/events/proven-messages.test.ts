import { fromBinary } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { MessageAcceptedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
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
