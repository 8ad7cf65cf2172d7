import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { Database } from '@lettergate/database'
import { transaction } from '@lettergate/database/transaction'
import { systemCaller, type Service } from '@lettergate/service'
import { errorText } from './dead-letters/store-dead-letter.ts'
import { publish } from './publish.ts'

const job = 'raise-events-waiting'
/** Longer than ten attempts, after which it is raised again. */
const lastsSeconds = 1_800

/**
 * Raises an alert that events of this consumer wait for another service or for the database. While the database is away, the
 * alert is only logged.
 */
export async function raiseWaiting(
  db: Database,
  log: Service['log'],
  { consumer, error }: { consumer: string; error: unknown },
): Promise<void> {
  try {
    await transaction(db, { caller: systemCaller(job, job), workspaceId: null, system: job }, (em) =>
      publish(em, AlertRaisedSchema, {
        code: 'events_waiting',
        severity: 'warning',
        summary: `${consumer} waits for another service or its database; its events are retried until it answers`,
        detail: { consumer, error: errorText(error) },
        about: consumer,
        lastsSeconds,
      }),
    )
  } catch (failure) {
    log.error({ consumer, err: failure }, 'events wait, and the alert about it could not be stored')
  }
}
