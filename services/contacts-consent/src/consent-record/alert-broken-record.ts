import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publish } from '@lettergate/events'

/** A mismatch in words, with the event or position in the workspace's chain. */
export interface Break {
  problem: string
  eventId?: string
  position?: number
}

const shownMax = 20

/** Raises an alert that the consent record does not match its seals. */
export const alertBrokenRecord = (em: Em, workspaceId: string, breaks: readonly Break[]): Promise<void> =>
  publish(em, AlertRaisedSchema, {
    code: 'consent_record_broken',
    severity: 'critical',
    summary:
      'The consent record of a workspace does not fit its seals: rows were changed, removed or added past the service.',
    detail: {
      workspace_id: workspaceId,
      breaks: breaks.length,
      first: breaks.slice(0, shownMax).map(({ problem, eventId, position }) => ({
        problem,
        ...(eventId === undefined ? {} : { event_id: eventId }),
        ...(position === undefined ? {} : { position }),
      })),
    },
  })
