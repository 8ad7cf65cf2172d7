import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'

const raiseEveryMs = 60_000
/** Longer than the time between two alerts, so that the alert ends when the gates can be read again. */
const lastsSeconds = 600

/**
 * Returns a function that raises an alert, at most once a minute, while messages wait because the gates cannot be read. The
 * alert ends by itself. If the gateway is down, it stores the alert when it is up again.
 */
export function unreadableGates(system: Ctx): (forMs: number) => void {
  let raisedAt = -Infinity
  const raise = (forMs: number) =>
    system.tx((em) =>
      publish(em, AlertRaisedSchema, {
        code: 'gates_unreadable',
        severity: 'critical',
        summary:
          'The platform gates cannot be read, so they count as closed. Runs and automations that could send are held; none of their messages is lost.',
        about: system.caller.actor,
        detail: { seconds: Math.round(forMs / 1000) },
        lastsSeconds,
      }),
    )
  return (forMs) => {
    if (performance.now() - raisedAt < raiseEveryMs) return
    raisedAt = performance.now()
    void raise(forMs).catch((error: unknown) => {
      raisedAt = -Infinity
      system.log.error({ err: error }, 'the gates cannot be read, and the alert about it could not be stored')
    })
  }
}
