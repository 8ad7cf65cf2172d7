import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { recordFacts, type KnownMessage, type Said } from '../delivery/record-facts.ts'
import { isId } from '../domain/identifier.ts'
import { factOf } from '../domain/delivery/outcome.ts'
import { recordTestFacts } from '../testing/record-test-facts.ts'

/**
 * Turns what the provider reports into outcomes, hundreds at a time. The result depends on the set of events, not on their
 * order; an event that comes before our own record of the hand-off counts, and proves the hand-off. Events of test sends are
 * kept with these, and are in no report.
 */
export const onProviderEventReceived = consumer({
  name: 'on-provider-event-received',
  from: 'webhook-intake',
  event: ProviderEventReceivedSchema,
  batch: 500,
  handle: async (ctx: Ctx, events) => {
    await ctx.tx(async (em) => {
      const news = (await firstTime(em, events)).map(({ data }) => data)
      const about = news.flatMap((event) => {
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
        return [{ kind: event.event, said, providerMessageId: event.providerMessageId }]
      })
      if (about.length === 0) return
      const messages = await recordFacts(
        em,
        ctx.workspaceId,
        about.map(({ said }) => said),
      )
      await countEvents(em, ctx.workspaceId, about, messages)
      await recordTestFacts(
        em,
        ctx.workspaceId,
        about
          .filter(({ said }) => !messages.has(said.messageId))
          .map(({ kind, said, providerMessageId }) => ({ ...said, kind, providerMessageId })),
      )
    })
  },
})

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
