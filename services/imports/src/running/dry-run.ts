import { Fault } from '@lettergate/fault'
import type { MappedRow, UnusableRow } from '../mapping/compile-mapping.ts'
import { addressTable, type AddressStatus, type AddressTable } from './address-table.ts'
import { callsAtOnce } from './calls-at-once.ts'
import { evaluateRows } from './import-batches.ts'
import { planOf } from './import-plan.ts'
import { reportOf, type DryRunReport } from './import-report.ts'
import { openFile, progressWriter, type ImportRun } from './import-run.ts'
import { patientCall } from './patient-call.ts'
import { roomForTags } from './room-for-tags.ts'
import { batchRowsMax, rowBatch, type RowsToSend } from './row-batch.ts'
import { emptyTally, tallyInvalid, tallyOutcomes, type RowTally } from './row-tally.ts'

/** contacts-consent works on one while the other one is on its way. */
const evaluationsAtOnce = 2

/**
 * Evaluates every address of the file once, and writes nothing but the progress. The file is read a second time only if another
 * row restricts an address more than its first row, because the most restrictive status of an address decides.
 */
export async function dryRun(run: ImportRun): Promise<DryRunReport> {
  const table = addressTable()
  const first = emptyTally()
  const isFinal = await evaluateFirstReading(run, table, first)
  if (isFinal) return reportOf(first, run.job.delimiter)
  const final: RowTally = { ...emptyTally(), duplicates: first.duplicates }
  const statusOf = table.byFirstRow()
  await evaluateFile(run, final, (_mapped, row) => statusOf(row))
  return reportOf(final, run.job.delimiter)
}

/** Fills the table, and evaluates the addresses as long as no row contradicts an earlier one. Returns whether none did. */
async function evaluateFirstReading(run: ImportRun, table: AddressTable, tally: RowTally): Promise<boolean> {
  let hasStricter = false
  await evaluateFile(run, tally, (mapped, row) => {
    const { address, status } = mapped
    if ('problem' in mapped) {
      hasStricter = table.restrict(address, mapped.status) || hasStricter
      return undefined
    }
    const place = table.add(address, row, status)
    if (place === 'first') return hasStricter ? undefined : status
    if (place !== 'restricted') tally.duplicates += 1
    hasStricter ||= place !== 'duplicate'
    return undefined
  })
  return !hasStricter
}

/** Reads the file once. `statusFor` returns the status with which a row is evaluated, or undefined for a row that is left out. */
async function evaluateFile(
  run: ImportRun,
  tally: RowTally,
  statusFor: (mapped: MappedRow | UnusableRow, row: number) => AddressStatus | undefined,
): Promise<void> {
  const { ctx, job } = run
  const { targets, read, rowOf } = openFile(run)
  const plan = planOf(job)
  const batch = rowBatch(targets, batchRowsMax.evaluate)
  const calls = callsAtOnce(evaluationsAtOnce)
  const storeProgress = progressWriter(run)
  const tags = roomForTags()

  const evaluate = async (rows: RowsToSend) => {
    const { outcomes, newTags, tagRoom } = await patientCall(ctx, () => evaluateRows(ctx, { plan, rows }))
    tallyOutcomes(tally, outcomes)
    if (tagRoom !== undefined) tags.require(newTags, tagRoom)
  }
  try {
    for await (const { firstRow, records } of read()) {
      if (firstRow + records.length - 1 > ctx.config.importMaxRows) throw tooManyRows(ctx.config.importMaxRows)
      for (const [at, record] of records.entries()) {
        const mapped = rowOf(record)
        if (typeof mapped === 'string') {
          tallyInvalid(tally, mapped)
          continue
        }
        const status = statusFor(mapped, firstRow + at)
        if ('problem' in mapped) tallyInvalid(tally, mapped.problem)
        if ('problem' in mapped || status === undefined) continue
        batch.add(firstRow + at, mapped, status)
        if (batch.isFull()) {
          const full = batch.take()
          await calls.add(() => evaluate(full))
        }
      }
      run.rowsDone('dry_run', records.length)
      await storeProgress({ phase: 'dry_run', rows_done: firstRow + records.length - 1, rows_total: null })
    }
    if (batch.rows > 0) {
      const rest = batch.take()
      await calls.add(() => evaluate(rest))
    }
    await calls.finished()
  } finally {
    await calls.settled()
  }
}

const tooManyRows = (most: number) =>
  new Fault(
    'failed_precondition',
    'too_many_rows',
    `The file has more than ${most} rows, which is the limit. Cancel this import, split the file into several files with the same header row, and upload them.`,
  )
