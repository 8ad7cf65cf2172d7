import { readEmailAddress } from '@lettergate/values/email-address'
import { mappedColumns, type Mapping } from './import-mapping.ts'
import { readCapturedAt } from './captured-at.ts'
import {
  isRefusal,
  rowStatuses,
  statusCell,
  unknownStatus,
  type ConsentPolicy,
  type ImportPolicy,
  type RowStatus,
} from './import-policy.ts'
import { joinTags } from './tag-cell.ts'

/** Why a row names no address. */
export type MappingInvalidReason = 'email_missing' | 'email_invalid'

export interface MappedRow {
  /** the address in lower case with its domain in punycode: equal for all spellings of one address */
  readonly address: string
  /** empty without a status */
  readonly status: RowStatus | ''
  /** one text for each target of the compiled mapping, trimmed; empty for no value */
  readonly values: readonly string[]
}

/** A row that cannot be used, of a known address. Other rows of the address must not say more than its status allows. */
export interface UnusableRow {
  readonly problem: string
  readonly address: string
  readonly status: RowStatus | '' | typeof unknownStatus
}

export interface CompiledMapping {
  /** email, then the other targets of the mapping in the order of the file, without status: the columns of `values` */
  readonly targets: readonly string[]
  /** The cells of damaged columns are empty, and say nothing. */
  readonly mapRow: (
    cells: readonly string[],
    damagedColumns?: readonly number[],
  ) => MappedRow | UnusableRow | MappingInvalidReason
}

/**
 * Compiles a checked mapping into a function for each row. It parses only the shape of cells: address, status, time and tags.
 * Tags are joined by `;`, times are of RFC 3339. Rows without a status have the default status of the policy. Without one, the
 * rows of a file without a status column are `subscribed`; the consent policy decides what that is worth. With `status_column`
 * an empty cell is never `subscribed`, because the cells are the evidence.
 */
export function compileMapping(job: {
  readonly headers: readonly string[]
  readonly mapping: Mapping
  readonly policy: ImportPolicy
  readonly consent_policy: ConsentPolicy | null
}): CompiledMapping {
  const mapped = mappedColumns(job.mapping, job.headers)
  const columnOf = (target: string) => mapped.find((each) => each.target === target)?.column ?? -1
  const emailColumn = columnOf('email')
  const statusColumn = columnOf('status')
  const capturedColumn = columnOf('captured_at')
  const tagColumns = mapped.filter(({ target }) => target === 'tags').map(({ column }) => column)
  const plain = mapped.filter(({ target }) => !['email', 'status', 'captured_at', 'tags'].includes(target))
  const plainColumns = plain.map(({ column }) => column)
  const targets = [
    'email',
    ...plain.map(({ target }) => target),
    ...(tagColumns.length > 0 ? ['tags'] : []),
    ...(capturedColumn === -1 ? [] : ['captured_at']),
  ]

  const defaultStatus = job.policy.default_status ?? (statusColumn === -1 ? 'subscribed' : '')
  const statuses = new Map<string, RowStatus | ''>(rowStatuses.map((status) => [status, status]))
  for (const [cell, status] of Object.entries(job.policy.status_values ?? {})) statuses.set(statusCell(cell), status)
  const ofEmptyCell = statuses.get('') ?? defaultStatus
  statuses.set('', ofEmptyCell === 'subscribed' && job.consent_policy === 'status_column' ? '' : ofEmptyCell)
  const statusOf = (cell: string): RowStatus | '' | undefined => statuses.get(cell) ?? statuses.get(statusCell(cell))

  const mapRow: CompiledMapping['mapRow'] = (cells, damagedColumns) => {
    const given = cells[emailColumn]!.trim()
    if (given === '') return 'email_missing'
    const email = readEmailAddress(given)
    if (typeof email === 'string') return 'email_invalid'
    const address = `${email.local.toLowerCase()}@${email.domain}`
    const isDamaged = damagedColumns?.includes(statusColumn)
    const status = statusColumn === -1 ? defaultStatus : isDamaged ? undefined : statusOf(cells[statusColumn]!)
    if (status === undefined) return { problem: 'status_unknown', address, status: unknownStatus }

    const values = [email.text]
    for (const column of plainColumns) values.push(cells[column]!.trim())
    if (tagColumns.length === 1) values.push(joinTags(cells[tagColumns[0]!]!))
    else if (tagColumns.length > 1)
      values.push(joinTags(tagColumns.map((column) => joinTags(cells[column]!)).join(';')))
    if (capturedColumn !== -1) {
      const capturedAt = readCapturedAt(cells[capturedColumn]!)
      // A refusal counts, whatever its row says about a consent.
      if (capturedAt === undefined && !isRefusal(status)) return { problem: 'captured_at_invalid', address, status }
      values.push(capturedAt ?? '')
    }
    return { address, status, values }
  }
  return { targets, mapRow }
}
