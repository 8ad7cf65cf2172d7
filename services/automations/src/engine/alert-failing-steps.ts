import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { column, columns, sql, statement } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { repeat, type Part, type Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { EnrollmentPosition } from '../enrollments/enrollment-position.entity.ts'

const usualPolls = { lookEveryMs: 60_000 }
const raiseAgainMs = 900_000
const alertLastsSeconds = 2_100
const automationsAtOnce = 20

const selectFailing = statement('select-failing-enrollments', {
  ...columns(EnrollmentPosition, 'workspace_id', 'automation_id', 'enrollment_id', 'node_key', 'failed_attempts'),
  enrollments: column.integer(),
})

/**
 * Raises an alert for each automation with a contact whose step was attempted in vain three times or more, with the one that was
 * attempted most often. Raises it again every 15 minutes while it lasts.
 */
export function alertFailingSteps(service: Service, system: Ctx, { lookEveryMs } = usualPolls): Part {
  const raisedAt = new Map<string, number>()
  return repeat(service, 'alert-failing-steps', lookEveryMs, async () => {
    const failing = await system.tx((em) =>
      selectFailing.rows(
        em,
        sql`select distinct on (workspace_id, automation_id) workspace_id, automation_id, enrollment_id, node_key, failed_attempts,
                   count(*) over (partition by workspace_id, automation_id)::int as enrollments
              from enrollment_positions where failed_attempts >= 3 and state <> 'paused'
             order by workspace_id, automation_id, failed_attempts desc, enrollment_id limit ${automationsAtOnce}`,
      ),
    )
    const now = performance.now()
    for (const [id, at] of raisedAt) if (now - at >= raiseAgainMs) raisedAt.delete(id)
    for (const one of failing.filter(({ automation_id: id }) => !raisedAt.has(id))) {
      const detail = {
        automation_id: one.automation_id,
        enrollment_id: one.enrollment_id,
        node_key: one.node_key,
        failed_attempts: one.failed_attempts,
        enrollments: one.enrollments,
      }
      await system.inWorkspace(one.workspace_id).tx((em) =>
        publish(em, AlertRaisedSchema, {
          code: 'automation_step_failing',
          severity: 'warning',
          summary:
            'A step of an automation fails each time that a worker attempts it, so its contact does not move on.',
          detail,
          about: one.automation_id,
          lastsSeconds: alertLastsSeconds,
        }),
      )
      raisedAt.set(one.automation_id, now)
    }
  })
}
