import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { carrier } from '@lettergate/service/tracing'
import { publishFrom } from '../publish.ts'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import type { DeadLetterRow } from './dead-letter-row.ts'

/** Publishes the audit record of a decision about a dead letter, in the workspace of its event. */
export const audit = (
  em: Em,
  { caller, service }: DeadLettersCtx,
  { id, consumer, event_id, headers }: DeadLetterRow,
  { action, ...more }: { action: string; reason?: string },
): Promise<void> =>
  publishFrom(em, AuditRecordedSchema, [
    {
      origin: { workspaceId: headers.workspaceId, correlationId: caller.correlationId, trace: carrier() },
      init: {
        action,
        subjectType: 'dead_letter',
        subjectId: id,
        actor: caller.actor,
        detail: { service, consumer, event_id, ...more },
      },
    },
  ])
