import { create } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { GetCampaignRunReportRequestSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { ListCampaignRunRecipientsRequestSchema } from '@lettergate/contracts/campaigns/v1/reports'
import { kyselyOf, newId, sql } from '@lettergate/database'
import fc from 'fast-check'
import { pendingIds } from '../../src/delivery/read-batches.ts'
import { recipientStates } from '../../src/messages/recipient-state.ts'
import { getCampaignRunReport } from '../../src/reports/get-campaign-run-report.ts'
import { listCampaignRunRecipients } from '../../src/runs/list-campaign-run-recipients.ts'
import { isPending, RunRecipient } from '../../src/runs/run-recipient.entity.ts'
import { openFacts, type FactsStage, type RecipientBefore } from '../facts-stage.ts'
import { messageStatesOf } from '../message-rows.ts'

/** `RUN_COUNTS=1000` compares more runs. `SEED` chooses them. */
const runs = Number(process.env['RUN_COUNTS'] ?? 40)
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
const batches = 3

let s: FactsStage
beforeAll(async () => {
  s = await openFacts()
})
afterAll(() => s.close())

const event = fc.record({
  recipient: fc.nat(),
  reported: fc
    .constantFrom(
      { event: 'accepted' },
      { event: 'delivered' },
      { event: 'failed', severity: 'temporary' },
      { event: 'failed', severity: 'permanent', reason: 'bounce' },
      { event: 'failed', severity: 'permanent', reason: 'suppress-bounce' },
      { event: 'opened' },
      { event: 'complained' },
    )
    .map((kind) => ({ ...kind, second: 1 })),
})
/** A message is in an open hand-off, or has an end, or neither. */
const recipient: fc.Arbitrary<RecipientBefore> = fc
  .record({
    batch: fc.integer({ min: 1, max: batches }),
    putBacks: fc.nat(2),
    last: fc.constantFrom(
      ...(['claimed', 'accepted', 'failed', 'unknown'] as const).map((state) => ({ state })),
      ...(['skipped', 'failed'] as const).map((end) => ({ end })),
      {},
    ),
  })
  .map(({ last, ...others }) => ({ ...others, ...last }))

/** The ids of a run's recipients in each state, by the database function `message_state`. */
async function statesOf(runId: string) {
  const states = await messageStatesOf(s.stage, runId)
  const idsIn = (wanted: string) => states.filter(({ state }) => state === wanted).map(({ id }) => id)
  return Object.fromEntries(recipientStates.map((state) => [state, idsIn(state)]))
}

/** The same, by the filter of the list. */
async function listedStatesOf(runId: string) {
  const listed: Record<string, string[]> = {}
  for (const state of recipientStates) {
    const request = create(ListCampaignRunRecipientsRequestSchema, { runId, state, limit: 100 })
    const { recipients } = await listCampaignRunRecipients(s.ctx, request)
    listed[state] = recipients!.map(({ id }) => id!).sort()
  }
  return listed
}

/** The pending recipients as delivery reads them, and as the check of ends and the end of leftovers read them. */
const pendingOf = (runId: string) =>
  s.ctx.tx(async (em) => {
    const { workspaceId } = s.ctx
    const all = Array.from({ length: batches }, (_, index) => index + 1)
    const pending = await pendingIds(em, { workspaceId, runId, batches: all })
    const ofBatches = [...pending.keys()]
    const ofRun = await kyselyOf(em, RunRecipient)
      .selectFrom('run_recipients as r')
      .select('r.id')
      .where('r.workspace_id', '=', workspaceId)
      .where('r.run_id', '=', runId)
      .where(sql<boolean>`${isPending}`)
      .orderBy('r.id')
      .execute()
    return { ofBatches: ofBatches.sort(), ofRun: ofRun.map(({ id }) => id) }
  })

test(`sent, failed, unknown, skipped and pending are counted as message_state defines them, for any hand-offs and events (SEED=${seed})`, async () => {
  const anyRecipients = fc.array(recipient, { minLength: 1, maxLength: 40, size: 'max' })
  const anyEvents = fc.array(event, { maxLength: 40, size: 'max' })
  const agree = fc.asyncProperty(
    anyRecipients,
    anyEvents,
    fc.integer({ min: 1, max: 40 }),
    async (recipients, events, size) => {
      const { runId, messageIds } = await s.run(recipients)
      // Batches are done when none of their recipients is pending.
      await s.stage.query(
        `update campaigns.delivery_batches set done_at = now() where run_id = $1 and batch <> all($2::integer[])`,
        [runId, recipients.flatMap(({ batch, state, end }) => ((state ?? end) ? [] : [batch]))],
      )
      const arriving = events.map(({ recipient: n, reported }) => ({
        id: newId(),
        messageId: messageIds[n % messageIds.length]!,
        reported,
      }))
      for (let from = 0; from < arriving.length; from += size) await s.arrive(arriving.slice(from, from + size))

      const states = await statesOf(runId)
      const count = (state: string) => states[state]!.length
      const { report } = await getCampaignRunReport(s.ctx, create(GetCampaignRunReportRequestSchema, { runId }))
      expect(report).toMatchObject({
        sent: count('accepted') + count('delivered') + count('soft_failed') + count('hard_bounced'),
        delivered: count('delivered'),
        hardBounced: count('hard_bounced'),
        softFailedOnly: count('soft_failed'),
        noTerminalEvent: count('accepted'),
        failed: count('failed'),
        unknown: count('unknown'),
        skipped: count('skipped'),
      })
      expect(await pendingOf(runId)).toEqual({ ofBatches: states['pending'], ofRun: states['pending'] })
      expect(await listedStatesOf(runId)).toEqual(states)
    },
  )
  await fc.assert(agree, { numRuns: runs, seed })
}, 3_600_000)
