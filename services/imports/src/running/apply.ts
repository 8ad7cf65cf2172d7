import { isRefusal } from '../mapping/import-policy.ts'
import { addressTable, type AddressStatus, type AddressTable } from './address-table.ts'
import { callsAtOnce } from './calls-at-once.ts'
import { approvalInvalid, requireApproved } from './approval.ts'
import { requireClosedGatesPatiently } from './closed-gates.ts'
import { applyRows, applySuppressions } from './import-batches.ts'
import { approvalOf, planOf } from './import-plan.ts'
import { checkpoint, openFile, progressWriter, type ImportRun } from './import-run.ts'
import { passMarks } from './pass-marks.ts'
import { patientCall } from './patient-call.ts'
import { batchRowsMax, rowBatch, type RowsToSend } from './row-batch.ts'

/** Enough that PostgreSQL has work while a batch is on its way, checked or committed. Each one holds the locks of its rows. */
const appliesAtOnce = 3

/**
 * Applies an approved file: first every suppression of it, then its contacts and consent. contacts-consent applies a row once,
 * so it is safe to begin again at any row. Before every batch the gates and the lease are checked. Returns how many rows of the
 * file were applied, now or earlier: one for each address.
 */
export async function applyImport(run: ImportRun): Promise<number> {
  const { job } = run
  requireApproved(job)
  const table = addressTable()
  const rowsTotal = await fillTable(run, table)
  // The ledger and the marks name rows by their numbers.
  if (rowsTotal !== job.report['rows_total']) throw approvalInvalid()
  const refusals = table.count('unsubscribed') + table.count('suppressed')
  const addresses = table.size
  const statusOf = table.byFirstRow()
  await applyPass(run, {
    phase: 'suppressions',
    mark: 'suppressions_applied_through',
    rowsTotal,
    addresses: refusals,
    statusOf: (row) => statusIf(statusOf(row), isRefusal),
    apply: applySuppressions,
  })
  await applyPass(run, {
    phase: 'contacts',
    mark: 'rows_applied_through',
    rowsTotal,
    addresses: addresses - refusals,
    statusOf: (row) => statusIf(statusOf(row), (status) => !isRefusal(status)),
    apply: applyRows,
  })
  return addresses
}

const statusIf = (status: AddressStatus | undefined, fits: (status: AddressStatus) => boolean) =>
  status !== undefined && fits(status) ? status : undefined

/** Reads the file for the most restrictive status of each address. Returns how many rows the file has. */
async function fillTable(run: ImportRun, table: AddressTable): Promise<number> {
  const storeProgress = progressWriter(run)
  const rowsTotal = typeof run.job.report['rows_total'] === 'number' ? run.job.report['rows_total'] : null
  let rowsDone = 0
  const { read, rowOf } = openFile(run)
  for await (const { firstRow, records } of read()) {
    for (const [at, record] of records.entries()) {
      const mapped = rowOf(record)
      if (typeof mapped === 'string') continue
      if ('problem' in mapped) table.restrict(mapped.address, mapped.status)
      else table.add(mapped.address, firstRow + at, mapped.status)
    }
    rowsDone = firstRow + records.length - 1
    await storeProgress({ phase: 'reading', rows_done: rowsDone, rows_total: rowsTotal })
  }
  return rowsDone
}

interface Pass {
  phase: 'suppressions' | 'contacts'
  mark: 'suppressions_applied_through' | 'rows_applied_through'
  rowsTotal: number
  /** how many rows of the file this pass applies */
  addresses: number
  /** the status with which this pass applies a row, or undefined for a row of another pass */
  statusOf: (row: number) => AddressStatus | undefined
  apply: typeof applyRows | typeof applySuppressions
}

async function applyPass(run: ImportRun, pass: Pass): Promise<void> {
  const { ctx, job } = run
  const { phase, mark, rowsTotal: total, apply } = pass
  const appliedBefore = job[mark]
  if (appliedBefore >= total) return
  const { targets, read, rowOf } = openFile(run)
  const [plan, approval] = [planOf(job), approvalOf(job)]
  const batch = rowBatch(targets, batchRowsMax.apply)
  const calls = callsAtOnce(appliesAtOnce)
  const marks = passMarks(appliedBefore)
  let stored = appliedBefore

  const send = async (rows: RowsToSend, lastRow: number) => {
    const settle = marks.begin(lastRow)
    // The checkpoint throws after a cancellation, and the gates are read last, directly before the call and each repetition of it.
    await calls.add(async () => {
      await patientCall(ctx, async () => {
        const { through } = marks
        // A mark counts as progress, so one that did not move is not stored again.
        const moved = through > stored ? { [mark]: through } : {}
        await checkpoint(run, { progress: { phase, rows_done: through, rows_total: total }, ...moved })
        stored = Math.max(stored, through)
        await requireClosedGatesPatiently(ctx)
        await apply(ctx, { plan, approval, rows })
      })
      settle()
      run.rowsDone(phase, rows.rowNumbers?.length ?? 0)
    })
  }
  let left = pass.addresses
  try {
    for await (const { firstRow, records } of read()) {
      if (left === 0) break
      for (const [at, record] of records.entries()) {
        const row = firstRow + at
        const status = pass.statusOf(row)
        if (status === undefined) continue
        left -= 1
        if (row <= appliedBefore) continue
        const mapped = rowOf(record)
        // It is the first row of an address, so it can be used.
        if (typeof mapped === 'string' || 'problem' in mapped) throw approvalInvalid()
        batch.add(row, mapped, status)
        if (batch.isFull()) await send(batch.take(), row)
      }
    }
    if (batch.rows > 0) await send(batch.take(), total)
    await calls.finished()
  } finally {
    await calls.settled()
  }
  await checkpoint(run, { progress: { phase, rows_done: total, rows_total: total }, [mark]: total })
}
