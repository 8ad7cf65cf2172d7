import { timestampDate, timestampMs } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema, type ProviderEventReceived } from '@lettergate/contracts/events/v1/events'
import { sql, statement, type Em } from '@lettergate/database'
import { consumer, firstTime, type Received } from '@lettergate/events'
import { alertAutomationRates } from '../automation-emails/alert-automation-rates.ts'
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
  batch: 1_000,
  lanes: { count: parts, eventsMin: 100, of: ({ data }) => partOf(data.messageId ?? '') },
  handle: async (ctx: Ctx, events) => {
    const reported = factsReportedBy(events)
    if (reported.length === 0) return
    await ctx.tx(async (em) => {
      const { messages, appended, repeated } = await recordFacts(em, ctx.workspaceId, reported)
      const counted = [...appended, ...(await firstDeliveries(em, repeated))].filter(({ isOldReplay }) => !isOldReplay)
      await countEvents(
        em,
        ctx.workspaceId,
        counted.map(({ received, messageId }) => ({
          originId: messages.get(messageId)!.origin_id,
          kind: received.data.event,
        })),
      )
      await settleTests(em, ctx.workspaceId, { messages, reported })
      const limits = ctx.config.breakerLimits
      const ofAutomations = appended.flatMap(({ messageId, fact }) => {
        const { kind, origin_id: automationId } = messages.get(messageId)!
        return kind === 'automation' ? [{ automationId, fact }] : []
      })
      await alertAutomationRates(em, ctx.workspaceId, { facts: ofAutomations, limits })
      // Last, because it waits for other transactions with facts of the same run.
      const runIds = [...messages.values()].filter(({ kind }) => kind === 'run').map(({ origin_id }) => origin_id)
      await tripRunBreakers(em, ctx.workspaceId, { runIds, limits })
    })
  },
})

type ProviderEvent = Received<typeof ProviderEventReceivedSchema>

interface FactOfEvent extends ReportedFact {
  received: ProviderEvent
  eventId: string
  isOldReplay: boolean
}

/** The facts of these events. An event that is given twice is taken once. */
function factsReportedBy(events: readonly ProviderEvent[]): FactOfEvent[] {
  const reported = new Map<string, FactOfEvent>()
  for (const received of events) {
    const { messageId, occurredAt, id: providerEventId } = received.data
    const [fact, eventId] = [factOf(received.data), eventIdOf(received)]
    if (fact === undefined || messageId === undefined || !isUuid(messageId) || occurredAt === undefined) continue
    const [at, isOld] = [timestampDate(occurredAt), isOldReplay(received.data)]
    if (!reported.has(eventId))
      reported.set(eventId, { received, messageId, fact, at, providerEventId, eventId, isOldReplay: isOld })
  }
  return [...reported.values()]
}

/** The event of a stored fact is recognised by it. The inbox recognises the others, such as the second opening of an email. */
async function firstDeliveries(em: Em, repeated: readonly FactOfEvent[]): Promise<FactOfEvent[]> {
  const first = new Set(
    await firstTime(
      em,
      repeated.map(({ received }) => received),
      eventIdOf,
    ),
  )
  return repeated.filter(({ received }) => first.has(received))
}

const nameMessages = statement('store-provider-message-ids')

/** Stores the provider's message id of test sends without an answer and updates their rehearsals. */
async function settleTests(
  em: Em,
  workspaceId: string,
  { messages, reported }: { messages: ReadonlyMap<string, KnownMessage>; reported: readonly FactOfEvent[] },
): Promise<void> {
  const tests = reported.filter(({ messageId }) => messages.get(messageId)?.kind === 'test_send')
  if (tests.length === 0) return
  const named = tests.flatMap(({ messageId: id, received }) => {
    const { providerMessageId } = received.data
    return providerMessageId === undefined ? [] : [{ id, providerMessageId }]
  })
  await nameMessages.execute(
    em,
    sql`update hand_offs h set provider_message_id = t.provider_message_id
          from unnest(${named.map(({ id }) => id)}::uuid[], ${named.map(({ providerMessageId }) => providerMessageId)}::text[]) as t (origin_id, provider_message_id)
         where h.workspace_id = ${workspaceId} and h.origin_id = t.origin_id and h.batch = 0 and h.kind = 'test_send' and h.provider_message_id is null`,
  )
  await reconcileRehearsals(
    em,
    workspaceId,
    tests.map(({ messageId }) => messageId),
  )
}

/** An event and its replays have one id: the id of the first event. */
const eventIdOf = ({ id, data }: { id: string; data: ProviderEventReceived }): string =>
  data.replayedAt !== undefined && isUuid(data.id) ? data.id : id

/** The inbox keeps event ids for eight days. A replay of an older event is treated as already counted. */
const isOldReplay = ({ receivedAt, replayedAt }: ProviderEventReceived): boolean =>
  replayedAt !== undefined &&
  (receivedAt === undefined || timestampMs(replayedAt) - timestampMs(receivedAt) > replayKnownForMs)

const replayKnownForMs = 7 * 86_400_000
