import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'

const shownMax = 20

/** A mismatch in words, with its entry or its position in the chain. */
export interface LogBreak {
  problem: string
  position?: number
  entryId?: string
}

/** Raises an alert that the audit log does not match its seals. */
export const alertBrokenLog = (em: Em, breaks: readonly LogBreak[]): Promise<void> =>
  publish(em, AlertRaisedSchema, {
    code: 'audit_log_broken',
    severity: 'critical',
    summary: 'The audit log does not match its seals: rows were changed, removed or added without the service.',
    detail: {
      breaks: breaks.length,
      first: breaks.slice(0, shownMax).map(({ problem, position, entryId }) => ({
        problem,
        ...(position === undefined ? {} : { position }),
        ...(entryId === undefined ? {} : { entry_id: entryId }),
      })),
    },
    about: 'audit_log',
  })
