import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { columns, sql, statement } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { changeJob } from './change-job.ts'
import { ImportJob, requireJob } from './import-job.entity.ts'

const selectOverdue = statement('select-overdue-imports', columns(ImportJob, 'workspace_id', 'id', 'epoch'))

const atOnce = 100

/**
 * Expires imports that did not end in time and destroys their payloads. One that a living worker applies is left to finish.
 * Answers `unfinished` when more may be overdue.
 */
export async function expireImports(ctx: Ctx, imports: OneByOne): Promise<'finished' | 'unfinished'> {
  const overdue = await ctx.tx((em) =>
    selectOverdue.rows(
      em,
      sql`select workspace_id, id, epoch from import_jobs
           where sealed_key is not null and expires_at <= now() and not (status = 'applying' and coalesce(lease_until > now(), false))
             and id <> all(${imports.postponed()}::uuid[])
           order by expires_at limit ${atOnce}`,
    ),
  )
  await imports.forEach(overdue, async ({ workspace_id: workspaceId, id, epoch }) => {
    await ctx.inWorkspace(workspaceId).tx(async (em) => {
      const job = await requireJob(em, workspaceId, { id, isLocked: true })
      // somebody changed it since: the next run looks again
      if (job.epoch !== epoch || !(await changeJob(em, job, 'expire'))) return
      await publish(em, AuditRecordedSchema, {
        action: 'import_expired',
        subjectType: 'import',
        subjectId: id,
        actor: ctx.caller.actor,
        detail: { previous_status: job.status },
      })
    })
  })
  return overdue.length < atOnce ? 'finished' : 'unfinished'
}
