import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { openImports, unknownId, type ImportsStage } from '../imports-stage.ts'

let s: ImportsStage
beforeAll(async () => {
  s = await openImports()
})
afterAll(() => s.close())

const kept = async (id: string) => {
  const [found] = await s.stage.query<{ chunks: number; key: string | null; epoch: number }>(
    `select (select count(*)::int from imports.import_chunks c where c.job_id = j.id) as chunks, sealed_key as key, epoch
       from imports.import_jobs j where id = $1`,
    [id],
  )
  return found!
}
const setStatus = (id: string, status: string) =>
  s.stage.query(
    `update imports.import_jobs set status = $2, error = case when $2 = 'failed' then '{"reason": "x"}'::jsonb end,
            lease_holder = case when $2 in ('dry_run_running', 'applying') then 'w1' end,
            lease_until = case when $2 in ('dry_run_running', 'applying') then now() + interval '30 seconds' end where id = $1`,
    [id, status],
  )

test.each(['uploaded', 'dry_run_queued', 'dry_run_running', 'ready_for_review', 'apply_queued', 'applying', 'failed'])(
  'an import that is %s is cancelled, and its file and its key are destroyed',
  async (status) => {
    const id = await s.stored()
    await setStatus(id, status)
    const { import: cancelled } = await s.imports.cancelImport(s.us, { jobId: id })
    expect(cancelled).toMatchObject({ id, status: 'cancelled', payloadRetained: false })
    expect(await kept(id)).toEqual({ chunks: 0, key: null, epoch: 2 })
    expect((await s.imports.getImport(s.us, { jobId: id })).import).toEqual(cancelled)
  },
)

test('an import that has ended is refused and not changed', async () => {
  const id = await s.stored()
  await s.imports.cancelImport(s.us, { jobId: id })
  const before = await s.imports.getImport(s.us, { jobId: id })
  await expect(s.imports.cancelImport(s.us, { jobId: id })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'import_status',
    message: 'This import is cancelled, so it cannot be cancelled. Nothing was changed.',
  })
  expect(await s.imports.getImport(s.us, { jobId: id })).toEqual(before)
})

test('of simultaneous requests one cancels, and it is audited once', async () => {
  const id = await s.stored()
  const answers = await Promise.allSettled(Array.from({ length: 5 }, () => s.imports.cancelImport(s.us, { jobId: id })))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from imports.outbox where event = 'audit_recorded'`,
  )
  const audited = rows
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId }) => subjectId === id)
  expect(audited).toMatchObject([
    { action: 'import_cancelled', actor: 'tester', detail: { previous_status: 'uploaded' } },
  ])
})

test("another tenant's import looks like a missing one and is not cancelled", async () => {
  const theirs = await s.stored(undefined, s.them)
  for (const jobId of [theirs, unknownId, 'x'])
    await expect(s.imports.cancelImport(s.us, { jobId })).rejects.toMatchObject({ code: 'not_found', reason: 'import' })
  expect(await kept(theirs)).toMatchObject({ chunks: 2, epoch: 1 })
})

test('the database refuses an ended import with a key, and an open one without', async () => {
  const id = await s.stored()
  await expect(
    s.stage.query(`update imports.import_jobs set status = 'cancelled' where id = $1`, [id]),
  ).rejects.toThrow('check constraint')
  await expect(s.stage.query(`update imports.import_jobs set sealed_key = null where id = $1`, [id])).rejects.toThrow(
    'check constraint',
  )
})
