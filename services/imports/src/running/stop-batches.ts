import { columns, kyselyOf, sql, statement } from '@lettergate/database'
import type { OneByOne } from '@lettergate/service/one-by-one'
import type { Ctx } from '../ctx.ts'
import { ImportJob, type ImportJobRow } from '../jobs/import-job.entity.ts'
import { patientCall, repeatForMs } from './patient-call.ts'

type StoppedJob = Pick<ImportJobRow, 'workspace_id' | 'id' | 'stop_epoch'>

/** How long a call to contacts-consent is repeated, and how long each one may take. */
interface RepeatTimes {
  readonly repeatMs: number
  readonly timeoutMs?: number
}

/**
 * Tells contacts-consent that workers apply nothing more of an import that ended or failed, if it does not know: after that, no
 * batch that was sent before is written.
 */
export async function stopBatches(
  ctx: Ctx,
  job: StoppedJob,
  { repeatMs, ...time }: RepeatTimes = { repeatMs: repeatForMs },
): Promise<void> {
  const { workspace_id: workspaceId, id: importId, stop_epoch: epoch } = job
  if (epoch === null) return
  await patientCall(ctx, () => ctx.contacts.stopImport(ctx, { importId, epoch }, time), repeatMs)
  await ctx.tx((em) =>
    kyselyOf(em, ImportJob)
      .updateTable('import_jobs')
      .set({ stop_epoch: null })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', importId)
      .where('stop_epoch', '=', epoch)
      .execute(),
  )
}

/** The same for a caller that gets its answer in any case: leaves a third of its time. `stopImports` goes on after a failure. */
export async function tryToStopBatches(ctx: Ctx, job: StoppedJob): Promise<void> {
  const timeoutMs = Math.min(repeatForMs, (ctx.deadline - Date.now()) / 3)
  try {
    await stopBatches(ctx, job, { repeatMs: timeoutMs, timeoutMs })
  } catch (error) {
    ctx.log.warn({ err: error, import_id: job.id }, 'contacts-consent is told later that an import has ended')
  }
}

const selectToStop = statement('select-imports-to-stop', columns(ImportJob, 'workspace_id', 'id', 'stop_epoch'))

const atOnce = 100

/** Tells contacts-consent of imports that ended or failed. Answers `unfinished` when there may be more of them. */
export async function stopImports(ctx: Ctx, imports: OneByOne): Promise<'finished' | 'unfinished'> {
  const found = await ctx.tx((em) =>
    selectToStop.rows(
      em,
      sql`select workspace_id, id, stop_epoch from import_jobs
           where stop_epoch is not null and id <> all(${imports.postponed()}::uuid[]) order by id limit ${atOnce}`,
    ),
  )
  await imports.forEach(found, (job) => stopBatches(ctx.inWorkspace(job.workspace_id), job, { repeatMs: 0 }))
  return found.length < atOnce ? 'finished' : 'unfinished'
}
