import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { startNats } from '@lettergate/stage/nats'
import { peopleFile } from './files.ts'
import { openRunning, type RunningStage } from './running-stage.ts'

let s: RunningStage
let current: Awaited<ReturnType<RunningStage['worker']>>
const stopWorker = () => current.stop()
beforeAll(async () => {
  s = await openRunning()
})
beforeEach(async () => {
  current = await s.worker({ IMPORT_LEASE_SECONDS: '2' })
})
afterEach(async () => {
  await stopWorker()
  await s.setGate('test_sends_enabled', false)
})
afterAll(() => s.close())

const batch = 1_000
const batchesAtOnce = 3
let files = 0

/** People that no other file has. */
const newPeople = (rows: number) => peopleFile(rows, `file${(files += 1)}.`)

/** An approved import whose first batches wait inside of contacts-consent. */
async function stuckInApply(rows = 6 * batch) {
  const id = await s.mapped(newPeople(rows))
  const { report } = await s.reached(id, 'ready_for_review')
  const lock = await s.held('import_rows')
  await s.approve(id)
  await lock.waited()
  return { id, lock, addresses: Number(report!['contacts_new']) }
}

const isIdle = (id: string) =>
  until(
    async () => {
      const [job] = await s.stage.query<{ holder: string | null }>(
        'select lease_holder as holder from imports.import_jobs where id = $1',
        [id],
      )
      return job!.holder === null
    },
    { what: 'the worker to let go' },
  )

test('a gate that opens in the middle of an apply stops it before the next batch, and a retry continues where it stopped', async () => {
  const { id, lock, addresses } = await stuckInApply()
  await s.setGate('test_sends_enabled', true)
  await lock.release()
  const failed = await s.reached(id, 'failed')
  expect(failed.error).toEqual({
    reason: 'gate_open',
    gate: 'test_sends_enabled',
    message: expect.stringContaining('test sends are enabled'),
  })
  expect(failed).toMatchObject({ payloadRetained: true, report: { contacts_new: addresses } })
  const applied = await s.ledger(id)
  // At most the batches that were under way when it opened.
  expect(applied.rows).toBeLessThanOrEqual(batchesAtOnce * batch)

  await s.setGate('test_sends_enabled', false)
  await s.imports.retryImport(s.us, { jobId: id })
  const done = await s.reached(id, 'completed')
  expect(done.report).toMatchObject({ reconciliation: { matches: true }, applied: { contacts_new: addresses } })
  expect(await s.ledger(id)).toEqual({ rows: addresses, most: 1 })
})

test('a cancelled apply stops before the next batch, and its payload is destroyed at once', async () => {
  const { id, lock } = await stuckInApply()
  await s.imports.cancelImport(s.us, { jobId: id })
  const chunks = () => s.stage.query('select from imports.import_chunks where job_id = $1', [id])
  expect(await chunks()).toEqual([])
  await lock.release()
  const other = await s.mapped(newPeople(1))
  expect((await s.reached(other, 'ready_for_review')).error).toBeUndefined()
  expect(await s.read(id)).toMatchObject({ status: 'cancelled', payloadRetained: false })
  await stopWorker()
  // The batches that were under way may end after their worker.
  await until(
    async () =>
      (
        await s.stage.query(
          `select from pg_locks
            where database = (select oid from pg_database where datname = current_database())
              and relation = 'contacts.import_rows'::regclass and mode = 'RowExclusiveLock'`,
        )
      ).length === 0,
    { what: 'the batches to end' },
  )
  expect((await s.ledger(id)).rows).toBeLessThanOrEqual(batchesAtOnce * batch)
})

test('a dry run that is cancelled stores nothing', async () => {
  const lock = await s.held('contacts')
  const id = await s.mapped(newPeople(2 * batch))
  await s.reached(id, 'dry_run_running')
  await lock.waited()
  await s.imports.cancelImport(s.us, { jobId: id })
  await lock.release()
  await stopWorker()
  const cancelled = await s.read(id)
  expect(cancelled).toMatchObject({ status: 'cancelled', report: {}, attemptCount: 1 })
  expect(cancelled.reportChecksum).toBeUndefined()
})

test('a mapping that changes during a dry run is evaluated again, and the report is of the new mapping', async () => {
  const lock = await s.held('contacts')
  const id = await s.mapped(newPeople(2 * batch))
  await lock.waited()
  await s.imports.mapImport(s.us, {
    jobId: id,
    mapping: { email: 'email' },
    consentPolicy: 'review_required',
    policy: {},
  })
  await lock.release()
  const { report, attemptCount } = await s.reached(id, 'ready_for_review')
  expect(report).toMatchObject({ rows_total: 2 * batch, consent_to_record: 0, suppressions_to_apply: 0 })
  expect(attemptCount).toBeGreaterThanOrEqual(2)
})

test('an import that has expired is not started', async () => {
  await stopWorker()
  const id = await s.mapped(newPeople(10))
  await s.change(id, `expires_at = now() - interval '1 second'`)
  current = await s.worker()
  await until(async () => (await s.read(id)).status === 'expired', { what: 'the import to expire' })
  expect(await s.read(id)).toMatchObject({ attemptCount: 0, payloadRetained: false })
})

test('a payload that cannot be read fails the dry run and says what to do', async () => {
  await stopWorker()
  const id = await s.mapped(newPeople(10))
  await s.stage.query(
    `update imports.import_chunks set ciphertext = overlay(ciphertext placing '\\x00'::bytea from 10) where job_id = $1`,
    [id],
  )
  current = await s.worker()
  const failed = await s.reached(id, 'failed')
  expect(failed.error).toEqual({
    reason: 'payload_unreadable',
    message: expect.stringContaining('upload the file again'),
  })
})

test('a report that was changed after the approval is not applied, and a retry begins with a dry run', async () => {
  await stopWorker()
  const id = await s.mapped(newPeople(10))
  const worker = await s.worker()
  await s.reached(id, 'ready_for_review')
  await worker.stop()
  await s.approve(id)
  await s.change(id, `report = report || '{"contacts_new": 1}'`)
  current = await s.worker()
  expect((await s.reached(id, 'completed')).error).toMatchObject({ reason: 'approval_invalid' })
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
  await s.imports.retryImport(s.us, { jobId: id })
  expect((await s.reached(id, 'ready_for_review')).report).toMatchObject({ rows_total: 10 })
})

test('while contacts-consent does not answer, the import waits and counts its attempts, and it goes on afterwards', async () => {
  await stopWorker()
  const id = await s.mapped(newPeople(10))
  await s.change(id, 'starts = 10')
  const dead = await s.worker({ CONTACTS_CONSENT_TARGET: '127.0.0.1:9' })
  const failed = await s.reached(id, 'failed')
  expect(failed.error).toMatchObject({ reason: 'worker_lost' })
  await dead.stop()
  await s.imports.retryImport(s.us, { jobId: id })
  current = await s.worker()
  expect((await s.reached(id, 'ready_for_review')).error).toBeUndefined()
})

test('a gate that opens while contacts-consent does not answer stops the apply before it repeats a call', async () => {
  const id = await s.mapped(newPeople(10))
  await s.reached(id, 'ready_for_review')
  await stopWorker()
  await s.approve(id)
  current = await s.worker({ CONTACTS_CONSENT_TARGET: '127.0.0.1:9' })
  await until(async () => (await s.read(id)).report?.['progress'] !== undefined)
  await s.setGate('test_sends_enabled', true)
  const failed = await s.reached(id, 'failed')
  expect(failed).toMatchObject({ attemptCount: 2, error: { reason: 'gate_open', gate: 'test_sends_enabled' } })
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
})

test('a worker that stops gives its import back at once, and that is no failed start', async () => {
  const { id, lock, addresses } = await stuckInApply(3 * batch)
  const stopping = stopWorker()
  await lock.release()
  await stopping
  await isIdle(id)
  current = await s.worker()
  const done = await s.reached(id, 'completed')
  expect(done.report).toMatchObject({ reconciliation: { matches: true } })
  expect(await s.ledger(id)).toEqual({ rows: addresses, most: 1 })
})

test('lost database sessions of both services end in the same result', async () => {
  const as = await s.workspace('sessions')
  const id = await s.mapped(newPeople(3 * batch), { as })
  let isDone = false
  const breaking = (async () => {
    for (let round = 0; !isDone && round < 12; round += 1) {
      await s.stage.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and usename in ('imports', 'contacts') and state <> 'idle'`,
      )
      await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 250))
    }
  })()
  const reviewable = await s.reached(id, 'ready_for_review', as)
  expect(reviewable.error).toBeUndefined()
  await until(
    () =>
      s.approve(id, as).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 60_000 },
  )
  const done = await s.reached(id, 'completed', as)
  isDone = true
  await breaking
  expect(done.error).toBeUndefined()
  expect(done.report).toMatchObject({ reconciliation: { matches: true } })
  expect((await s.ledger(id)).most).toBe(1)
})

test('without a broker a worker finds imports by itself, and events are published later', async () => {
  await stopWorker()
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-imports-'))
  const broker = await startNats({ directory })
  current = await s.worker({ NATS_URL: broker.url, NATS_NKEY_SEED: '' })
  await broker.stop()
  const id = await s.mapped(newPeople(10))
  await s.reached(id, 'ready_for_review')
  await s.approve(id)
  expect((await s.reached(id, 'completed')).report).toMatchObject({ reconciliation: { matches: true } })
  const again = await startNats({ directory, port: Number(new URL(broker.url).port) })
  await stopWorker()
  await again.stop()
  rmSync(directory, { recursive: true })
})

test('two workers share the imports of two workspaces, and every row is applied once', async () => {
  const second = await s.worker({ IMPORT_LEASE_SECONDS: '2' })
  const as = await s.workspace('shared')
  const made = []
  for (const scope of [s.us, as, s.us, as]) made.push({ scope, id: await s.mapped(newPeople(300), { as: scope }) })
  for (const { id, scope } of made) {
    await s.reached(id, 'ready_for_review', scope)
    await s.approve(id, scope)
  }
  for (const { id, scope } of made) {
    const { report, attemptCount } = await s.reached(id, 'completed', scope)
    expect(report).toMatchObject({ reconciliation: { matches: true } })
    expect(attemptCount).toBe(2)
    expect((await s.ledger(id)).most).toBe(1)
  }
  await second.stop()
})
