import { create } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { GetCampaignRunReportRequestSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import {
  GetCampaignRunTimelineRequestSchema,
  ListCampaignRunRecipientsRequestSchema,
} from '@lettergate/contracts/campaigns/v1/reports'
import { newId } from '@lettergate/database'
import fc from 'fast-check'
import { getCampaignRunReport } from '../../src/reports/get-campaign-run-report.ts'
import { getCampaignRunTimeline } from '../../src/reports/get-campaign-run-timeline.ts'
import { listCampaignRunRecipients } from '../../src/runs/list-campaign-run-recipients.ts'
import type { ReportedEvent } from '../events-stage.ts'
import { openFacts, type FactsStage, type RecipientBefore } from '../facts-stage.ts'

/** `EVENT_ORDERS` tries another number of orders. `SEED` chooses them. */
const orders = Number(process.env['EVENT_ORDERS'] ?? 1_000)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
/** Orders that are tried at the same time. */
const atOnce = 4

let s: FactsStage
beforeAll(async () => {
  s = await openFacts()
})
afterAll(() => s.close())

const opened = (second: number) => ({ event: 'opened', second })
const clicked = (second: number) => ({ event: 'clicked', second })
const accepted = { event: 'accepted', second: 1 }
const delivered = { event: 'delivered', second: 40 }
const softFailed = (second: number) => ({ event: 'failed', severity: 'temporary', second })
const hardBounced = { event: 'failed', severity: 'permanent', reason: 'bounce', second: 70 }
const suppressed = { event: 'failed', severity: 'permanent', reason: 'suppress-bounce', second: 10 }

const recipients: (RecipientBefore & { events: ReportedEvent[] })[] = [
  { batch: 0, state: 'accepted', events: [] },
  { batch: 0, state: 'accepted', events: [accepted, delivered] },
  { batch: 0, state: 'accepted', events: [accepted, delivered, opened(200), opened(90), clicked(210), clicked(330)] },
  { batch: 0, state: 'accepted', events: [softFailed(5), softFailed(65), delivered] },
  { batch: 0, state: 'accepted', events: [softFailed(80), softFailed(20)] },
  { batch: 0, state: 'accepted', events: [accepted, hardBounced] },
  { batch: 0, state: 'accepted', events: [hardBounced, suppressed, delivered] },
  { batch: 0, state: 'accepted', events: [delivered, { event: 'complained', second: 300 }] },
  { batch: 0, state: 'accepted', events: [delivered, opened(100), { event: 'unsubscribed', second: 130 }] },
  // The events prove the whole hand-off.
  { batch: 1, state: 'unknown', putBacks: 1, events: [delivered] },
  { batch: 1, state: 'unknown', events: [opened(50)] },
  // The events prove a part of the hand-off.
  { batch: 2, state: 'unknown', events: [accepted, delivered] },
  { batch: 2, state: 'unknown', events: [] },
  { batch: 3, state: 'claimed', events: [accepted] },
  { batch: 4, state: 'failed', events: [clicked(45)] },
  { batch: 4, state: 'failed', events: [] },
  // The hand-off of the first is not stored, as after a restore. The events of the skipped one prove it.
  { batch: 5, events: [opened(60), delivered] },
  { batch: 5, events: [] },
  { batch: 5, end: 'skipped', events: [delivered] },
]

/** Each event of the history, by the position of its recipient. Some arrive twice, and some also as a replay. */
const history = recipients
  .flatMap(({ events }, recipient) => events.map((reported) => ({ recipient, reported })))
  .map((event, key) => ({ ...event, key, isReplay: false }))
  .flatMap((event) => [
    event,
    ...(event.key % 3 === 0 ? [event] : []),
    ...(event.key % 4 === 0 ? [{ ...event, isReplay: true }] : []),
  ])

/** Gives the events to a new run in this order. The batch sizes repeat. Returns what users see, without ids. */
async function resultOf(order: typeof history, sizes: readonly number[]) {
  const { runId, messageIds } = await s.run(recipients)
  const ids = new Map(history.map(({ key }) => [key, newId()]))
  const events = order.map(({ key, recipient, reported, isReplay }) => {
    return { id: ids.get(key)!, messageId: messageIds[recipient]!, reported, isReplay }
  })
  for (let from = 0, n = 0; from < events.length; from += sizes[n % sizes.length]!, n += 1)
    await s.arrive(events.slice(from, from + sizes[n % sizes.length]!))
  return readResult(runId)
}

async function readResult(runId: string) {
  const { report } = await getCampaignRunReport(s.ctx, create(GetCampaignRunReportRequestSchema, { runId }))
  const minutes = create(GetCampaignRunTimelineRequestSchema, { runId, bucket: 'minute' })
  const { timeline } = await getCampaignRunTimeline(s.ctx, minutes)
  const page = create(ListCampaignRunRecipientsRequestSchema, { runId, limit: 100 })
  const { recipients: listed } = await listCampaignRunRecipients(s.ctx, page)
  const withoutIds = listed!.map((recipient) => ({ ...recipient, id: '', contactId: '', audienceId: '' }))
  return { report, timeline, recipients: withoutIds }
}

test(`the same events in any order, in batches of any size and with duplicates, give one report, timeline and list of recipients (SEED=${seed})`, async () => {
  const first = await resultOf(history, [7])
  expect(first.report).toMatchObject({
    sent: 16,
    delivered: 9,
    hardBounced: 2,
    softFailedOnly: 1,
    noTerminalEvent: 4,
    skipped: 0,
    unknown: 1,
    failed: 1,
    openedRecipients: 4,
    clickedRecipients: 2,
    complained: 1,
    unsubscribesAttributed: 1,
  })
  expect(first.recipients.length).toBe(recipients.length)

  const anyOrder = fc.shuffledSubarray(history, { minLength: history.length })
  const anySizes = fc.array(fc.integer({ min: 1, max: history.length }), { minLength: 1, maxLength: 10 })
  const sameResult = fc.asyncProperty(anyOrder, anySizes, async (order, sizes) =>
    expect(await resultOf(order, sizes)).toEqual(first),
  )
  const tryOrders = (numRuns: number, part: number) => fc.assert(sameResult, { numRuns, seed: seed + part })
  const parts = Array.from({ length: atOnce }, (_, part) => Math.ceil((orders - part) / atOnce))
  const tried = await Promise.allSettled(parts.filter((numRuns) => numRuns > 0).map(tryOrders))
  for (const one of tried) if (one.status === 'rejected') throw one.reason
}, 3_600_000)
