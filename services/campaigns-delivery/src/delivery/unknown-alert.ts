import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { endAlerts, publish } from '@lettergate/events'
import { lookupMinutes } from '../connections/backoff.ts'

/** Raises an alert for a hand-off whose messages are unknown after the last lookup. */
export const alertUnknown = (em: Em, handOffId: string, detail: Record<string, string | number>): Promise<void> =>
  publish(em, AlertRaisedSchema, {
    code: 'hand_off_unknown',
    severity: 'warning',
    summary:
      'The provider was asked four times and does not know some messages that may have been handed over. They are never sent again automatically.',
    about: handOffId,
    detail: { ...detail, hand_off_id: handOffId },
  })

/** Ends the alerts of those of these hand-offs that had their last lookup. */
export const endUnknownAlerts = (em: Em, handOffs: readonly { id: string; lookups: number }[]): Promise<void> =>
  endAlerts(
    em,
    'hand_off_unknown',
    handOffs.filter(({ lookups }) => lookups >= lookupMinutes.length).map(({ id }) => id),
  )
