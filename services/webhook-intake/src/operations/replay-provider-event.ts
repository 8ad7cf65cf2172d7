import { AuditRecordedSchema, ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  ReplayProviderEventRequest,
  ReplayProviderEventResponseSchema,
} from '@lettergate/contracts/webhooks/v1/provider_events'
import { kyselyOf, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { announcementOf, ProviderEvent } from '../db/provider-event.entity.ts'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'

/**
 * Publishes a stored event of this workspace again, marked as a replay. Safe to repeat: consumers ignore an event that they
 * have handled.
 */
export async function replayProviderEvent(
  ctx: Ctx,
  { eventId }: ReplayProviderEventRequest,
): Promise<Reply<typeof ReplayProviderEventResponseSchema>> {
  return ctx.tx(async (em) => {
    const event = isUuid(eventId)
      ? await kyselyOf(em, ProviderEvent)
          .updateTable('provider_events')
          .set({ replayed_at: sql`clock_timestamp()` })
          .where('workspace_id', '=', ctx.workspaceId)
          .where('id', '=', eventId)
          .returningAll()
          .executeTakeFirst()
      : undefined
    if (!event) throw new Fault('not_found', 'provider_event', 'There is no such provider event.')
    await publish(em, ProviderEventReceivedSchema, {
      ...announcementOf({
        id: event.id,
        connectionId: event.connection_id,
        event: event.event,
        severity: event.severity,
        reason: event.reason,
        messageId: event.message_id,
        providerMessageId: event.provider_message_id,
        occurredAt: new Date(event.occurred_at),
        receivedAt: new Date(event.received_at),
      }),
      replayedAt: moment(event.replayed_at),
    })
    await publish(em, AuditRecordedSchema, {
      action: 'provider_event_replayed',
      subjectType: 'provider_event',
      subjectId: event.id,
      actor: ctx.caller.actor,
      detail: { event: event.event, connection_id: event.connection_id },
    })
    return { providerEvent: { id: event.id, processingState: 'processed', eventType: event.event } }
  })
}
