import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import pg from 'pg'
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

const stopped = (id: string) => s.stage.query('select from contacts.stopped_imports where import_id = $1', [id])

test('an import that is approved while it is cancelled is stopped too', async () => {
  const id = await s.stored()
  await setStatus(id, 'ready_for_review')
  const other = new pg.Client({ connectionString: s.stage.adminUrl })
  await other.connect()
  await other.query('begin')
  await other.query(
    `update imports.import_jobs set status = 'apply_queued', approval_checksum = 'x', epoch = epoch + 1 where id = $1`,
    [id],
  )
  const waits = `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`
  const cancelled = patiently(() => s.imports.cancelImport(s.us, { jobId: id }))
  await until(async () => (await s.stage.query(waits)).length > 0, { what: 'the cancel to wait' })
  expect(await stopped(id)).toEqual([])
  await other.query('commit')
  await other.end()
  expect((await cancelled).import).toMatchObject({ status: 'cancelled', payloadRetained: false })
  expect(await stopped(id)).toHaveLength(1)
})

test('an import is cancelled also while contacts-consent does not answer, which is told later if the import was approved', async () => {
  const [approved, other] = [await s.stored(), await s.stored()]
  await setStatus(approved, 'applying')
  await s.stage.query(`update imports.import_jobs set approval_checksum = 'x' where id = $1`, [approved])
  const env = { ...s.env, CONTACTS_CONSENT_TARGET: '127.0.0.1:9', ROLE: 'api' }
  const alone = await s.stage.boot('imports', s.start, s.loadConfig, env)
  const imports = await s.stage.client(Imports, alone.rpcPort!)
  expect((await imports.cancelImport(s.us, { jobId: other })).import).toMatchObject({ status: 'cancelled' })
  const inTime = { ...s.us, deadline: Date.now() + 15_000 }
  expect((await imports.cancelImport(inTime, { jobId: approved })).import).toMatchObject({ status: 'cancelled' })
  for (const id of [approved, other]) expect(await kept(id)).toMatchObject({ chunks: 0, key: null })
  await alone.stop()
  expect(await stopped(approved)).toEqual([])
  const worker = await s.worker()
  await until(async () => (await stopped(approved)).length > 0, { what: 'contacts-consent to be told' })
  await worker.stop()
  expect(await stopped(other)).toEqual([])
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
