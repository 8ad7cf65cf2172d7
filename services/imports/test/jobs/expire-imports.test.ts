import { randomUUID } from 'node:crypto'
import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { openImports, type ImportsStage } from '../imports-stage.ts'

let s: ImportsStage
beforeAll(async () => {
  s = await openImports()
})
afterAll(() => s.close())

const statusOf = async (id: string) => (await s.imports.getImport(s.us, { jobId: id })).import!.status

/** A worker runs its jobs when it starts. */
async function sweep(isDone: () => Promise<boolean>) {
  const worker = await s.worker()
  await until(isDone)
  await worker.stop()
}

test('imports expire at their time in every open state, and their files and keys are destroyed', async () => {
  const due = [await s.stored(), await s.stored(), await s.stored()]
  const [, failed, stranded] = due
  const [early, living, ended] = [await s.stored(), await s.stored(), await s.stored()]
  await s.stage.query(`update imports.import_jobs set expires_at = now() where id = any($1)`, [[...due, living, ended]])
  await s.stage.query(
    `update imports.import_jobs set status = 'failed', error = '{"reason": "x", "message": "y"}' where id = $1`,
    [failed],
  )
  await s.stage.query(
    `update imports.import_jobs set status = 'applying', lease_holder = 'w',
            lease_until = now() + case when id = $1 then interval '1 hour' else interval '-1 second' end where id = any($2)`,
    [living, [living, stranded]],
  )
  await s.imports.cancelImport(s.us, { jobId: ended })

  await sweep(async () => (await Promise.all(due.map(statusOf))).every((status) => status === 'expired'))
  const left = await s.stage.query<{ job_id: string }>('select distinct job_id from imports.import_chunks')
  expect(left.map(({ job_id: id }) => id).toSorted()).toEqual([early, living].toSorted())
  expect(await Promise.all([early, living, ended].map(statusOf))).toEqual(['uploaded', 'applying', 'cancelled'])
  const audited = await s.stage.query<{ payload: Buffer; workspace_id: string }>(
    `select payload, workspace_id from imports.outbox where event = 'audit_recorded'`,
  )
  const expired = audited
    .map(({ payload, workspace_id: workspaceId }) => ({ workspaceId, ...fromBinary(AuditRecordedSchema, payload) }))
    .filter(({ action }) => action === 'import_expired')
  expect(expired.map(({ subjectId }) => subjectId).toSorted()).toEqual(due.toSorted())
  expect(expired[0]).toMatchObject({ actor: 'system:expire-imports', workspaceId: s.us.caller.workspaceId })
})

test('chunks that a broken upload left are deleted after an hour, those of imports and of uploads in progress are not', async () => {
  const kept = await s.stored()
  const chunk = (jobId: string, age: string) =>
    s.stage.query(
      `insert into imports.import_chunks (workspace_id, job_id, position, ciphertext, created_at) values ($1, $2, 0, '\\x00', now() - $3::interval)`,
      [s.us.caller.workspaceId, jobId, age],
    )
  await s.stage.query(`update imports.import_chunks set created_at = now() - interval '70 hours' where job_id = $1`, [
    kept,
  ])
  const [left, inProgress] = [randomUUID(), randomUUID()]
  await chunk(left, '61 minutes')
  await chunk(inProgress, '59 minutes')
  const owners = async () =>
    (await s.stage.query<{ job_id: string }>('select distinct job_id from imports.import_chunks')).map(
      ({ job_id: id }) => id,
    )
  await sweep(async () => !(await owners()).includes(left))
  expect(await owners()).toEqual(expect.arrayContaining([kept, inProgress]))
})
