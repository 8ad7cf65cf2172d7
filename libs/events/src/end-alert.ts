import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishAll } from './publish.ts'

/**
 * Announces that the condition of an alert is over. The gateway ends the open alert of this code and subject (its `about`), if
 * there is one.
 */
export const endAlert = (em: Em, code: string, about: string): Promise<void> => endAlerts(em, code, [about])

/** The same for many subjects. */
export const endAlerts = (em: Em, code: string, abouts: readonly string[]): Promise<void> =>
  publishAll(
    em,
    AlertRaisedSchema,
    abouts.map((about) => ({ code, about, isOver: true })),
  )
