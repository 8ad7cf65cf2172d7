import type {
  ListProviderEventsRequest,
  ListProviderEventsResponseSchema,
} from '@lettergate/contracts/webhooks/v1/provider_events'
import { columns, sql, statement, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ProviderEvent } from '../db/provider-event.entity.ts'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { eventKinds, type ProviderEventKind } from '../providers/mailgun/provider-event.ts'
import { moment } from '@lettergate/values/moment'

const selectEvents = statement('select-provider-events', columns(ProviderEvent))

/** Provider events of the workspace, newest first, in pages. The cost of a page does not depend on the number of events. */
export async function listProviderEvents(
  ctx: Ctx,
  req: ListProviderEventsRequest,
): Promise<Reply<typeof ListProviderEventsResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('provider_events', req.cursor)
  const kinds = req.event === undefined ? eventKinds : [parseKind(req.event)]
  const found = await ctx.tx((em) =>
    selectEvents.rows(
      em,
      sql`select e.* from unnest(${[...kinds]}::text[]) as kind cross join lateral
            (select * from provider_events
              where workspace_id = ${ctx.workspaceId} and event = kind and (${after}::uuid is null or id < ${after}::uuid)
              order by id desc limit ${limit + 1}) e
           order by e.id desc limit ${limit + 1}`,
    ),
  )
  const { page, nextCursor } = pageOf('provider_events', found, limit)
  return { providerEvents: page.map(listed), nextCursor }
}

function parseKind(given: string): ProviderEventKind {
  const kind = eventKinds.find((known) => known === given)
  if (kind) return kind
  throw new Fault('invalid_argument', 'event', `event must be one of ${eventKinds.join(', ')}.`)
}

const listed = (event: Row<typeof ProviderEvent>) => ({
  id: event.id,
  connectionId: event.connection_id,
  providerEventId: event.provider_event_id,
  event: event.event,
  severity: event.severity ?? undefined,
  reason: event.reason ?? undefined,
  messageId: event.message_id ?? undefined,
  providerMessageId: event.provider_message_id ?? undefined,
  occurredAt: moment(event.occurred_at),
  receivedAt: moment(event.received_at),
  bodyBytes: event.body_bytes,
  bodySha256: event.body_sha256.toString('hex'),
  contradictedAt: moment(event.contradicted_at),
  replayedAt: moment(event.replayed_at),
})
