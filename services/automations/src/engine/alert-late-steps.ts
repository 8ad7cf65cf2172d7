import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { readDueWork } from './due-work.ts'

const lookEveryMs = 60_000
const lateAfterSeconds = 300
const raiseAgainMs = 600_000
/** Longer than the time between two alerts, so that the alert ends when the steps are done. */
const lastsSeconds = 1_500

/** Raises an alert when the oldest due step is five minutes late although the gate is open, and again every ten minutes while it is. */
export function alertLateSteps(service: Service, system: Ctx): Part {
  let raisedAt: number | undefined
  return repeat(service, 'alert-late-steps', lookEveryMs, async () => {
    const { due, oldest } = await system.tx(readDueWork)
    if (oldest === null || oldest < lateAfterSeconds) {
      raisedAt = undefined
      return
    }
    if (raisedAt !== undefined && performance.now() - raisedAt < raiseAgainMs) return
    if ((await system.gate.state(system)) !== 'open') return
    await system.tx((em) =>
      publish(em, AlertRaisedSchema, {
        code: 'automation_steps_late',
        severity: 'warning',
        summary: 'Steps of automations are due for more than five minutes, and no worker has done them.',
        detail: { oldest_due_seconds: Math.round(oldest), due },
        about: 'all workers',
        lastsSeconds,
      }),
    )
    raisedAt = performance.now()
  })
}
