import { timestampDate, timestampMs } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema, type ProviderEventReceived } from '@lettergate/contracts/events/v1/events'
import { execute, sql, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { countEvents } from '../messages/event-count.entity.ts'
import { partOf, parts } from '../messages/message-fact.entity.ts'
import { factOf } from '../messages/outcome.ts'
import { tripRunBreakers } from '../runs/trip-run-breakers.ts'
import { reconcileRehearsals } from '../testing/reconcile-rehearsals.ts'
import { isUuid } from '@lettergate/values/uuid'
import { recordFacts, type KnownMessage, type ReportedFact } from './record-facts.ts'

/**
 * Stores provider events as facts of messages, in batches. The order of events does not matter. An event that arrives before
 * our own record of the hand-off proves the hand-off. Events of test sends are stored too but are in no report. A replayed
 * event adds missing facts; it is counted only if the original was not.
 */
export const onProviderEventReceived = consumer({
  name: 'on-provider-event-received',
  from: 'webhook-intake',
  event: ProviderEventReceivedSchema,
  batch: 500,
  lanes: { count: parts, of: ({ data }) => partOf(data.messageId ?? '') },
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
          !isUuid(event.messageId) ||
          event.occurredAt === undefined
        )
          return []
        const reported: ReportedFact = {
          messageId: event.messageId,
          fact,
          at: timestampDate(event.occurredAt),
          providerEventId: event.id,
        }
        const isCounted = isFirst && !isOldReplay(event)
        return [{ kind: event.event, isCounted, reported, providerMessageId: event.providerMessageId }]
      })
      if (about.length === 0) return
      const messages = await recordFacts(
        em,
        ctx.workspaceId,
        about.map(({ reported }) => reported),
      )
      const ours = about.flatMap((item) => {
        const message = messages.get(item.reported.messageId)
        return message ? [{ ...item, message }] : []
      })
      await countEvents(
        em,
        ctx.workspaceId,
        ours.filter(({ isCounted }) => isCounted).map(({ kind, message }) => ({ originId: message.origin_id, kind })),
      )
      await settleTests(em, ctx.workspaceId, ours)
      // Last, because it waits for other transactions with facts of the same run.
      const runIds = [...messages.values()].filter(({ kind }) => kind === 'run').map(({ origin_id }) => origin_id)
      await tripRunBreakers(em, ctx.workspaceId, { runIds, limits: ctx.config.breakerLimits })
    })
  },
})

/** Stores the provider's message id of test sends without an answer and updates their rehearsals. */
async function settleTests(
  em: Em,
  workspaceId: string,
  about: readonly { message: KnownMessage; providerMessageId: string | undefined }[],
): Promise<void> {
  const tests = about.filter(({ message }) => message.kind === 'test_send')
  if (tests.length === 0) return
  const named = tests.flatMap(({ message: { id }, providerMessageId }) =>
    providerMessageId === undefined ? [] : [{ id, providerMessageId }],
  )
  await execute(
    em,
    sql`update hand_offs h set provider_message_id = t.provider_message_id
          from unnest(${named.map(({ id }) => id)}::uuid[], ${named.map(({ providerMessageId }) => providerMessageId)}::text[]) as t (origin_id, provider_message_id)
         where h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = 0 and h.kind = 'test_send' and h.provider_message_id is null`,
  )
  await reconcileRehearsals(
    em,
    workspaceId,
    tests.map(({ message }) => message.id),
  )
}

/** An event and its replays have one id: the id of the first event. */
const factId = ({ id, data }: { id: string; data: ProviderEventReceived }): string =>
  data.replayedAt !== undefined && isUuid(data.id) ? data.id : id

/** The inbox keeps event ids for eight days. A replay of an older event is treated as already counted. */
const isOldReplay = ({ receivedAt, replayedAt }: ProviderEventReceived): boolean =>
  replayedAt !== undefined &&
  (receivedAt === undefined || timestampMs(replayedAt) - timestampMs(receivedAt) > replayKnownForMs)

const replayKnownForMs = 7 * 86_400_000
