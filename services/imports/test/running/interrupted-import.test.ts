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
})
afterAll(() => s.close())

const batch = 2_000
let files = 0

/** People that no other file has. */
const newPeople = (rows: number) => peopleFile(rows, `file${(files += 1)}.`)

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

test('a cancelled apply stops before the next batch, and its payload is destroyed at once', async () => {
  const { id, lock } = await s.stuckInApply(newPeople(6 * batch))
  await s.imports.cancelImport(s.us, { jobId: id })
  const chunks = () => s.stage.query('select from imports.import_chunks where job_id = $1', [id])
  expect(await chunks()).toEqual([])
  await lock.release()
  await isStopped(id)
  const applied = await s.ledger(id)
  const other = await s.mapped(newPeople(1))
  expect((await s.reached(other, 'ready_for_review')).error).toBeUndefined()
  expect(await s.read(id)).toMatchObject({ status: 'cancelled', payloadRetained: false })
  await stopWorker()
  expect(await s.ledger(id)).toEqual(applied)
})

/** Waits until contacts-consent knows that no batch of the import is written any more. */
const isStopped = (id: string) =>
  until(
    async () =>
      (
        await s.stage.query(
          'select from contacts.stopped_imports s join imports.import_jobs j on j.id = s.import_id where j.id = $1 and stop_epoch is null',
          [id],
        )
      ).length > 0,
    { what: 'contacts-consent to be told' },
  )

/** Lets another worker find the import with this change, as if its own worker were paused. */
async function endedByAnother(id: string, status: string, change: string) {
  await s.change(id, `${change}, lease_until = now() - interval '1 second'`)
  const other = await s.worker()
  await until(async () => (await s.read(id)).status === status, { what: `the import to be ${status}` })
  await isStopped(id)
  await other.stop()
}

test.each<[string, (id: string) => Promise<unknown>]>([
  ['was cancelled', (id) => s.imports.cancelImport(s.us, { jobId: id })],
  ['expired', (id) => endedByAnother(id, 'expired', `expires_at = now() - interval '1 second'`)],
  ['failed', (id) => endedByAnother(id, 'failed', `report = report || '{"contacts_new": 1}'`)],
])(
  'after an import %s no row is written, also by a batch whose worker had checked everything before',
  async (_, end) => {
    const id = await s.mapped(newPeople(3 * batch))
    await s.reached(id, 'ready_for_review')
    await stopWorker()
    await s.approve(id)
    const lock = await s.held('platform_gates', 'identity')
    current = await s.worker({ IMPORT_LEASE_SECONDS: '600' })
    // The checkpoint of a batch is stored before its gates are read.
    await until(async () => JSON.stringify((await s.read(id)).report).includes('suppressions'))
    await lock.waited()
    await end(id)
    await lock.release()
    await stopWorker()
    expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
  },
)

test('a dry run that is cancelled stores nothing', async () => {
  await stopWorker()
  current = await s.worker({ IMPORT_LEASE_SECONDS: '600' })
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

test('a worker that stops gives its import back at once, and that is no failed start', async () => {
  const { id, lock, addresses } = await s.stuckInApply(newPeople(3 * batch))
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
  await until(() =>
    s.approve(id, as).then(
      () => true,
      () => false,
    ),
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
  await stopWorker()
  current = await s.worker({ IMPORT_LEASE_SECONDS: '600' })
  const second = await s.worker({ IMPORT_LEASE_SECONDS: '600' })
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
