import { timestampDate, timestampMs } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema, type ProviderEventReceived } from '@lettergate/contracts/events/v1/events'
import { execute, sql, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { breakRuns } from '../delivery/break-runs.ts'
import { recordFacts, type KnownMessage, type Said } from '../delivery/record-facts.ts'
import { isId } from '../domain/identifier.ts'
import { factOf } from '../domain/delivery/outcome.ts'
import { recordTestFacts } from '../testing/record-test-facts.ts'

/**
 * Turns what the provider reports into outcomes, hundreds at a time. The result depends on the set of events, not on their
 * order; an event that comes before our own record of the hand-off counts, and proves the hand-off. Events of test sends are
 * kept with these, and are in no report. A replay teaches what is not known yet, and is counted when nothing of the event was.
 */
export const onProviderEventReceived = consumer({
  name: 'on-provider-event-received',
  from: 'webhook-intake',
  event: ProviderEventReceivedSchema,
  batch: 500,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const firsts = new Set(await firstTime(em, events, factId))
      const about = events.flatMap((received) => {
        const { data: event } = received
        const isFirst = firsts.has(received)
        if (!isFirst && event.replayedAt === undefined) return []
        const fact = factOf(event)
        if (
          fact === undefined ||
          event.messageId === undefined ||
          !isId(event.messageId) ||
          event.occurredAt === undefined
        )
          return []
        const said: Said = {
          messageId: event.messageId,
          fact,
          at: timestampDate(event.occurredAt),
          providerEventId: event.id,
        }
        const isCounted = isFirst && !isOldReplay(event)
        return [{ kind: event.event, isCounted, said, providerMessageId: event.providerMessageId }]
      })
      if (about.length === 0) return
      const messages = await recordFacts(
        em,
        ctx.workspaceId,
        about.map(({ said }) => said),
      )
      await countEvents(
        em,
        ctx.workspaceId,
        about.filter(({ isCounted }) => isCounted),
        messages,
      )
      await recordTestFacts(
        em,
        ctx.workspaceId,
        about
          .filter(({ said }) => !messages.has(said.messageId))
          .map(({ kind, isCounted, said, providerMessageId }) => ({
            ...said,
            kind: isCounted ? kind : null,
            providerMessageId,
          })),
      )
      // Last, because it waits for others who judge the same run.
      const runIds = Array.from(messages.values(), ({ run_id }) => run_id)
      await breakRuns(em, ctx.workspaceId, { runIds, limits: ctx.config.breakerLimits })
    })
  },
})

/** An event and its replays are one fact; an event is first announced under its own id. */
const factId = ({ id, data }: { id: string; data: ProviderEventReceived }): string =>
  data.replayedAt !== undefined && isId(data.id) ? data.id : id

/** The inbox forgets after eight days: of an older event a replay cannot tell that it was counted, so it is taken for counted. */
const isOldReplay = ({ receivedAt, replayedAt }: ProviderEventReceived): boolean =>
  replayedAt !== undefined &&
  (receivedAt === undefined || timestampMs(replayedAt) - timestampMs(receivedAt) > countedForMs)

const countedForMs = 7 * 86_400_000

async function countEvents(
  em: Em,
  workspaceId: string,
  about: readonly { kind: string; said: Said }[],
  messages: ReadonlyMap<string, KnownMessage>,
): Promise<void> {
  const counts = new Map<string, { runId: string; kind: string; count: number }>()
  for (const { kind, said } of about) {
    const runId = messages.get(said.messageId)?.run_id
    if (runId === undefined) continue
    const name = `${runId} ${kind}`
    const counted = counts.get(name) ?? { runId, kind, count: 0 }
    counted.count += 1
    counts.set(name, counted)
  }
  // In one order everywhere, so that two consumers cannot wait for each other.
  const ordered = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, counted]) => counted)
  if (ordered.length === 0) return
  await execute(
    em,
    sql`insert into run_event_counts as known (workspace_id, run_id, kind, count)
        select ${workspaceId}::uuid, t.* from unnest(${ordered.map(({ runId }) => runId)}::uuid[], ${ordered.map(({ kind }) => kind)}::text[], ${ordered.map(({ count }) => count)}::integer[]) as t
        on conflict (workspace_id, run_id, kind) do update set count = known.count + excluded.count`,
  )
}
