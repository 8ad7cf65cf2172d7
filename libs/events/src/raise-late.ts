import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller, type Service } from '@lettergate/service'
import { publish } from './publish.ts'

/** A consumer is late when it handles events of this age. */
const lateMs = 300_000
const raiseEveryMs = 60_000
/** Longer than the time between two alerts, so that the alert ends when the consumer has caught up. */
const lastsSeconds = 600
const job = 'raise-events-late'

/**
 * Raises an alert while a consumer handles events that are more than 5 minutes old, at most once a minute. The alert ends by
 * itself. Events that a lost stream brought back are old too, but the inbox knows them, and handling them takes a moment.
 */
export function lateEvents(db: Database, log: Service['log'], consumer: string) {
  let raisedAt = -Infinity
  return async (publishedAt: Date, now: Date): Promise<void> => {
    const ageMs = now.getTime() - publishedAt.getTime()
    if (ageMs < lateMs || performance.now() - raisedAt < raiseEveryMs) return
    raisedAt = performance.now()
    try {
      await transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, (em) =>
        publish(em, AlertRaisedSchema, {
          code: 'events_late',
          severity: 'warning',
          summary: `${consumer} handles events that are more than five minutes old`,
          detail: { consumer, age_seconds: Math.round(ageMs / 1000) },
          about: consumer,
          lastsSeconds,
        }),
      )
    } catch (failure) {
      raisedAt = -Infinity
      log.error({ consumer, err: failure }, 'events are late, and the alert about it could not be stored')
    }
  }
}
