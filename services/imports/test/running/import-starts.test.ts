import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import pg from 'pg'
import { peopleFile } from './files.ts'
import { openRunning, type RunningStage } from './running-stage.ts'

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
})
afterAll(() => s.close())

const csv = 'email,status\nada@example.org,unsubscribed\nbea@example.org,subscribed\n'

/** While it is there, contacts-consent fails to write rows of the second pass. */
const breakSecondPass = () =>
  s.stage.query(
    `create function contacts.break_pass() returns trigger language plpgsql as $$
       begin if new.pass = 2 then raise exception 'broken'; end if; return new; end $$;
     create trigger break_pass before insert on contacts.import_rows for each row execute function contacts.break_pass()`,
  )
const repairSecondPass = () => s.stage.query('drop function contacts.break_pass cascade')

const startsOf = async (id: string) =>
  (
    await s.stage.query<{ status: string; starts: number; holder: string | null; wait: number }>(
      `select status, starts, lease_holder as holder, extract(epoch from start_after - now())::float8 as wait
         from imports.import_jobs where id = $1`,
      [id],
    )
  )[0]!

test('an import that made progress is started again soon, however often it was started before', async () => {
  const id = await s.mapped(csv)
  const first = await s.worker()
  await s.reached(id, 'ready_for_review')
  await first.stop()
  await s.approve(id)
  await s.change(id, 'starts = 9')
  await breakSecondPass()
  const worker = await s.worker()
  // The first pass is applied, so this start counts as the first one.
  const postponed = await until(async () => {
    const found = await startsOf(id)
    return found.status === 'failed' || (found.holder === null && found.status === 'applying') ? found : undefined
  })
  expect(postponed.status).toBe('applying')
  expect(postponed.wait).toBeLessThanOrEqual(2 ** postponed.starts)
  await repairSecondPass()
  expect((await s.reached(id, 'completed')).report).toMatchObject({ reconciliation: { matches: true } })
  await worker.stop()
})

test('an import without progress fails after ten starts', async () => {
  const id = await s.mapped(csv)
  const first = await s.worker()
  await s.reached(id, 'ready_for_review')
  await first.stop()
  await s.approve(id)
  await s.change(id, 'starts = 9, suppressions_applied_through = 2')
  await breakSecondPass()
  const worker = await s.worker()
  expect((await s.reached(id, 'completed')).error).toMatchObject({ reason: 'internal_error' })
  await repairSecondPass()
  await worker.stop()
})

interface Progress {
  phase: string
  rows_done: number
  rows_total: number | null
}

/** The progress that the import shows once it fits. */
const progressed = (id: string, fits: (progress: Progress) => boolean) =>
  until(
    async () => {
      const progress = (await s.read(id)).report?.['progress'] as Progress | undefined
      return progress && fits(progress) ? progress : undefined
    },
    { what: 'progress' },
  )

test('while a worker runs, an import shows its phase and how many rows are done, and afterwards the whole report', async () => {
  const rows = 9_000
  const id = await s.mapped(peopleFile(rows))
  const evaluation = await s.held('contacts')
  const worker = await s.worker()
  const evaluated = await progressed(id, ({ phase }) => phase === 'dry_run')
  expect(evaluated).toEqual({ phase: 'dry_run', rows_done: expect.any(Number), rows_total: null })
  expect([evaluated.rows_done > 0, evaluated.rows_done <= rows]).toEqual([true, true])
  expect((await s.read(id)).status).toBe('dry_run_running')
  await evaluation.release()
  expect((await s.reached(id, 'ready_for_review')).report).toMatchObject({ rows_total: rows })

  const lastFree = 4_500
  const holder = new pg.Client({ connectionString: s.stage.adminUrl })
  await holder.connect()
  await holder.query('select pg_advisory_lock(77)')
  await s.stage.query(
    `create function contacts.hold_rows() returns trigger language plpgsql as $$
       begin if new.pass = 2 and new.row_number > ${lastFree} then perform pg_advisory_xact_lock(77); end if; return new; end $$;
     create trigger hold_rows before insert on contacts.import_rows for each row execute function contacts.hold_rows()`,
  )
  await s.approve(id)
  const applied = await progressed(id, ({ phase, rows_done: done }) => phase === 'contacts' && done > 0)
  expect(applied).toEqual({ phase: 'contacts', rows_done: expect.any(Number), rows_total: rows })
  expect(applied.rows_done).toBeLessThanOrEqual(lastFree)
  // What counts as done is in the ledger.
  const ledger = 'select from contacts.import_rows where import_id = $1 and pass = 2 and row_number = $2'
  expect(await s.stage.query(ledger, [id, applied.rows_done])).toHaveLength(1)
  expect(await s.read(id)).toMatchObject({ status: 'applying', attemptCount: 2 })
  await holder.end()
  const { report, attemptCount } = await s.reached(id, 'completed')
  expect(report).toMatchObject({ rows_total: rows, reconciliation: { matches: true } })
  expect([report!['progress'], attemptCount]).toEqual([undefined, 2])
  await s.stage.query('drop function contacts.hold_rows cascade')
  await worker.stop()
})
