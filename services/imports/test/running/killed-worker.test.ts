import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import pg from 'pg'
import { peopleFile } from './files.ts'
import { openRunning, type RunningStage } from './running-stage.ts'
import { workerProcesses } from './worker-process.ts'

let s: RunningStage
const { start: worker, killAll } = workerProcesses(() => s)
beforeAll(async () => {
  s = await openRunning()
})
afterEach(() => killAll())
afterAll(() => s.close())

const rows = 12_000
const kills = 6

const statusOf = async (id: string, as: CallScope) => (await s.read(id, as)).status

/** Kills a worker at a random moment until the import has the status, at most `kills` times. Answers how often it did. */
async function killedUntil(id: string, status: string, as: CallScope): Promise<number> {
  for (let times = 0; times < kills; times += 1) {
    const dying = await worker()
    await sleep(Math.random() * 1_500)
    await dying.killed()
    if ((await statusOf(id, as)) === status) return times
  }
  const { killed } = await worker()
  const ended = await s.reached(id, status, as)
  expect(ended.error).toBeUndefined()
  await killed()
  return kills
}

test('workers that are killed at any moment of dry run and apply leave the same result as one that is not', async () => {
  const csv = peopleFile(rows)
  const [calm, broken] = [await s.workspace('calm'), await s.workspace('broken')]
  const calmId = await s.mapped(csv, { as: calm })
  const { killed } = await worker()
  await s.reached(calmId, 'ready_for_review', calm)
  await s.approve(calmId, calm)
  const undisturbed = await s.reached(calmId, 'completed', calm)
  await killed()

  const id = await s.mapped(csv, { as: broken })
  await killedUntil(id, 'ready_for_review', broken)
  const reviewed = await s.read(id, broken)
  const { applied: _, reconciliation: __, ...expected } = undisturbed.report!
  expect(reviewed.report).toEqual(expected)
  expect(reviewed.reportChecksum).toBe(undisturbed.reportChecksum)

  await s.approve(id, broken)
  await killedUntil(id, 'completed', broken)
  const done = await s.read(id, broken)
  expect(done.report).toEqual(undisturbed.report)
  expect(done.report).toMatchObject({ reconciliation: { matches: true } })
  expect(await s.ledger(id)).toEqual({ rows: Number(expected['contacts_new']), most: 1 })
  expect(await s.changed(broken)).toEqual(await s.changed(calm))
})

test('a worker that is killed leaves no payload behind after the import ended', async () => {
  const as = await s.workspace('payload')
  const id = await s.mapped(peopleFile(500, 'sentinel-7f3a-'), { as })
  await worker()
  await s.reached(id, 'ready_for_review', as)
  await s.approve(id, as)
  await killedUntil(id, 'completed', as)
  expect(await s.stage.query('select from imports.import_chunks where job_id = $1', [id])).toEqual([])
  const [job] = await s.stage.query<{ row: string }>(
    `select to_jsonb(j)::text as row from imports.import_jobs j where id = $1`,
    [id],
  )
  expect(job!.row).not.toContain('sentinel')
})

test('a worker that is killed after the last row, before its import is completed, leaves the rest to the next one', async () => {
  const as = await s.workspace('last-moment')
  const id = await s.mapped(peopleFile(1_500), { as })
  const first = await worker()
  await s.reached(id, 'ready_for_review', as)
  await first.killed()
  await s.approve(id, as)
  // The audit record of the end waits, and with it the transaction that completes the import.
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and usename = 'imports' and wait_event_type = 'Lock' and query like '%into outbox%'`
  const holder = new pg.Client({ connectionString: s.stage.adminUrl })
  await holder.connect()
  try {
    await holder.query('begin; lock table imports.outbox in exclusive mode')
    const dying = await worker()
    await until(
      async () =>
        (
          await s.stage.query(
            `select from imports.import_jobs
              where id = $1 and status = 'applying' and rows_applied_through = 1500
                and exists (${waiting})`,
            [id],
          )
        ).length > 0,
      { what: 'the import to be completed' },
    )
    await dying.killed()
    // PostgreSQL may have the commit of the killed worker already, so its session ends before the lock does.
    await holder.query(`select pg_terminate_backend(pid, 60000) from (${waiting}) session`)
  } finally {
    await holder.end()
  }
  const before = await s.changed(as)
  expect(await s.read(id, as)).toMatchObject({ status: 'applying', payloadRetained: true })
  await worker()
  const done = await s.reached(id, 'completed', as)
  expect(done).toMatchObject({ payloadRetained: false, report: { reconciliation: { matches: true } } })
  expect((await s.ledger(id)).most).toBe(1)
  expect(await s.changed(as)).toEqual(before)
})

test('an api that is killed during an upload leaves chunks that no key decrypts, and the purge deletes them', async () => {
  const port = await freePort()
  const api = await worker({ ROLE: 'api', RPC_PORT: String(port) })
  const uploading = await s.stage.client(Imports, port)
  const kept = () =>
    s.stage.query<{ job_id: string }>(
      `select distinct job_id from imports.import_chunks c
        where not exists (select from imports.import_jobs j where j.workspace_id = c.workspace_id and j.id = c.job_id)`,
    )
  async function* unfinished() {
    yield {
      part: { case: 'data' as const, value: Buffer.from(`email\n${'sentinel-9c1d@example.org\n'.repeat(40_000)}`) },
    }
    await new Promise(() => undefined)
  }
  const jobs = () => s.stage.query('select id from imports.import_jobs order by id')
  const before = await jobs()
  const upload = uploading.uploadImport(s.us, unfinished()).then(
    () => 'stored',
    () => 'broken',
  )
  await until(async () => (await kept()).length === 1, { what: 'chunks to be stored' })
  await api.killed()
  expect(await upload).toBe('broken')
  expect(await jobs()).toEqual(before)
  const [left] = await kept()
  const stored = await s.stage.query<{ ciphertext: Buffer }>(
    'select ciphertext from imports.import_chunks where job_id = $1',
    [left!.job_id],
  )
  expect(Buffer.concat(stored.map(({ ciphertext }) => ciphertext)).includes('sentinel')).toBe(false)
  await s.stage.query(`update imports.import_chunks set created_at = now() - interval '61 minutes' where job_id = $1`, [
    left!.job_id,
  ])
  await worker()
  await until(async () => (await kept()).length === 0, { what: 'the chunks to be purged' })
})
