import fc from 'fast-check'
import type { JsonObject } from '@bufbuild/protobuf'
import { peopleCount, spelling } from './random-history.ts'
import type { Spelling } from './random-person.ts'
import { encodings, type Encoding } from './text-encodings.ts'

const statuses = ['subscribed', 'unsubscribed', 'suppressed', 'pending'] as const
export type Status = (typeof statuses)[number]

/** Why a row, or some of its cells, cannot be read. */
const damages = [
  'first_cell_missing',
  'last_cell_missing',
  'surplus_cell_first',
  'surplus_cell_last',
  'wrong_quotes',
  'open_quote',
  'control_character',
  'control_characters_beside',
  'no_address',
  'wrong_address',
  'blank',
] as const

/** One row: which person, how the address is spelled, and the cells of the other columns. */
interface RandomRow {
  readonly person: number
  readonly spelling: Spelling
  readonly status: string
  readonly values: { readonly name: string; readonly country: string; readonly time: string; readonly tags: string }
  readonly damage: (typeof damages)[number] | undefined
  /** an empty line after the row, which is no row */
  readonly hasEmptyLine: boolean
}

interface Policy {
  readonly default_status?: Status
  readonly status_values?: Readonly<Record<string, Status>>
  readonly static_tags?: readonly string[]
}

/** A file, the way it is written, and its mapping. */
export interface RandomFile {
  readonly encoding: keyof typeof encodings
  readonly delimiter: ',' | ';' | '\t'
  readonly namesDelimiter: boolean
  readonly newline: '\n' | '\r\n' | '\r'
  readonly endsWithNewline: boolean
  readonly quotesAll: boolean
  readonly columns: readonly Column[]
  /** the mapping names columns by their position */
  readonly mapsPositions: boolean
  readonly consentPolicy: 'review_required' | 'explicit_opt_in' | 'status_column'
  readonly policy: Policy
  readonly rows: readonly RandomRow[]
}

const targets = {
  email: 'E-Mail',
  status: 'Status',
  first_name: 'First name',
  country_code: 'Country',
  captured_at: 'Date',
  tags: 'Tags',
  ignore: 'Note',
} as const
type Column = keyof typeof targets

const columns = fc
  .tuple(
    fc.shuffledSubarray(['status', 'first_name', 'country_code', 'captured_at', 'tags', 'ignore'] as const, {
      minLength: 1,
    }),
    fc.boolean(),
    fc.nat(6),
  )
  .map(([others, hasStatus, at]): readonly Column[] => {
    const all: Column[] = hasStatus && !others.includes('status') ? ['status', ...others] : [...others]
    all.splice(at, 0, 'email')
    return all
  })

const often = <T>(usual: T, ...rare: T[]) => fc.constantFrom(...Array.from(rare, () => usual), ...rare)

const row: fc.Arbitrary<RandomRow> = fc.record({
  person: fc.nat(peopleCount - 1),
  spelling: spelling(fc.constantFrom('', '', ' ', '  ')),
  status: often(
    'subscribed',
    ' Subscribed',
    'yes',
    'UNSUBSCRIBED ',
    'gone',
    'suppressed',
    'bounced',
    'pending',
    '',
    '?',
    ' ? ',
    'perhaps',
    'perhaps',
    'unknown',
    'unknown',
  ),
  values: fc.record({
    name: fc.constantFrom('Ada', 'Zoë', 'O"Neil', 'Doe, Jane', 'a;b', 'two\nlines', '名前', ' ', '', 'Grace\tH.'),
    country: often('', 'SE', 'de', 'Sweden'),
    time: often('', '2024-05-01', '2024-05-01T10:00:00+02:00', 'yesterday', '2999-01-01'),
    tags: often('', 'news', 'news;vip', '"news","vip"'),
  }),
  damage: fc.option(fc.constantFrom(...damages), { nil: undefined, freq: 6 }),
  hasEmptyLine: often(false, true),
})

const policy: fc.Arbitrary<Policy> = fc.record(
  {
    default_status: fc.constantFrom(...statuses, 'subscribed' as const),
    status_values: fc.constant({ yes: 'subscribed', gone: 'unsubscribed', bounced: 'suppressed' } as const),
    static_tags: fc.constant(['imported']),
  },
  { requiredKeys: [] },
)

/** Any file of at most 12 rows, with any policy that fits its columns. */
export const randomFile: fc.Arbitrary<RandomFile> = fc
  .record({
    encoding: fc.constantFrom(...(Object.keys(encodings) as RandomFile['encoding'][])),
    delimiter: fc.constantFrom(',', ';', '\t'),
    namesDelimiter: fc.boolean(),
    newline: fc.constantFrom('\n', '\r\n', '\r'),
    endsWithNewline: fc.boolean(),
    quotesAll: fc.boolean(),
    columns,
    mapsPositions: fc.boolean(),
    consentPolicy: fc.constantFrom('explicit_opt_in', 'status_column', 'review_required'),
    policy,
    rows: fc.array(row, { maxLength: 12, size: 'max' }),
  })
  .map((file) =>
    file.consentPolicy === 'status_column' && !file.columns.includes('status')
      ? { ...file, consentPolicy: 'explicit_opt_in' }
      : file,
  )

export const headersOf = (file: RandomFile): string[] => file.columns.map((column) => targets[column])

export const mappingOf = (file: RandomFile): Record<string, string> =>
  Object.fromEntries(
    file.columns.map((column, at) => [file.mapsPositions ? `#${at + 1}` : targets[column], column] as const),
  )

export const policyOf = ({ policy: given }: RandomFile): JsonObject => ({
  consent_basis: 'consent',
  consent_source: 'old shop',
  wording_version: '2024-1',
  evidence_reference: 'ticket 7',
  ...(given as JsonObject),
})

const isStatus = (text: string): text is Status => statuses.some((status) => status === text)

const isRefusal = (status: string | undefined) => status === 'unsubscribed' || status === 'suppressed'

/** Cells of rows with these damages are in their columns, as far as there are any. */
const inTheirColumns: ReadonlySet<RandomRow['damage']> = new Set([
  'last_cell_missing',
  'surplus_cell_last',
  'wrong_quotes',
  'open_quote',
])

/** The status that a row gives its person; empty if it gives none, undefined if the row cannot be used. */
export function statusOf(file: RandomFile, row: RandomRow): Status | '' | undefined {
  const { damage } = row
  if (damage === undefined) return statusOfCell(file, row.status)
  const said = saidBy(file, row)
  if (said === 'unknown') return undefined
  const hasOthers = file.columns.some((column) => column !== 'email' && column !== 'status')
  if (damage === 'control_characters_beside') return !hasOthers || isRefusal(said) ? said : undefined
  // A refusal counts, also if other cells of its row cannot be used.
  return inTheirColumns.has(damage) && isRefusal(said) ? said : undefined
}

/** What a row says of its person, also if it cannot be used; undefined for a row that names nobody. */
export function saidBy(file: RandomFile, { status, damage }: RandomRow): Status | '' | 'unknown' | undefined {
  const hasStatus = file.columns.includes('status')
  switch (damage) {
    case undefined:
    case 'control_characters_beside':
      return statusOfCell(file, status) ?? 'unknown'
    case 'first_cell_missing':
      if (file.columns[0] === 'email') return undefined
      return hasStatus ? 'unknown' : statusOfCell(file, '')
    case 'last_cell_missing':
      if (file.columns.at(-1) === 'email') return undefined
      return file.columns.at(-1) === 'status' ? 'unknown' : (statusOfCell(file, status.trim() || 'x') ?? 'unknown')
    case 'surplus_cell_first':
      return hasStatus ? 'unknown' : statusOfCell(file, '')
    case 'surplus_cell_last': {
      const read = statusOfCell(file, status)
      return !hasStatus || isRefusal(read) ? read : 'unknown'
    }
    case 'wrong_quotes':
    case 'open_quote': {
      const broken = damage === 'wrong_quotes' ? file.columns[0] : file.columns.at(-1)
      if (broken === 'email') return undefined
      const read = broken === 'status' ? 'unknown' : (statusOfCell(file, status) ?? 'unknown')
      return !hasStatus || isRefusal(read) ? read : 'unknown'
    }
    case 'control_character':
    case 'no_address':
    case 'wrong_address':
    case 'blank':
      return undefined
  }
}

function statusOfCell({ columns: all, policy: given, consentPolicy }: RandomFile, cell: string) {
  if (!all.includes('status')) return given.default_status ?? 'subscribed'
  const text = cell.trim().toLowerCase()
  if (isStatus(text)) return text
  if (text !== '') return given.status_values?.[text]
  const isNoConsent = consentPolicy === 'status_column' && given.default_status === 'subscribed'
  return isNoConsent ? '' : (given.default_status ?? '')
}

/** Rows from which nobody could tell the delimiter of a small file. Such a file is refused unless it names the delimiter. */
const hidesDelimiter = ({ damage, values }: RandomRow): boolean =>
  damage !== undefined || /[,;\t\n]/.test(values.name + values.tags)

export const encodingOf = (file: RandomFile): Encoding => encodings[file.encoding]

/** The bytes of the file. `addressOf` spells the address of a person with characters that the encoding has. */
export function bytesOf(
  file: RandomFile,
  addressOf: (row: RandomRow, canWrite: (text: string) => boolean) => string,
): Buffer {
  const { delimiter, newline, quotesAll } = file
  const encoding = encodingOf(file)
  const quoted = (cell: string) => (quotesAll || /[",;\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)
  const line = (cells: readonly string[]) => cells.map(quoted).join(delimiter)

  const textOf = (one: RandomRow): string => {
    const { name, country, time, tags } = one.values
    const values: Record<Column, string> = {
      email: addressOf(one, encoding.canWrite),
      status: one.status,
      first_name: name,
      country_code: country,
      captured_at: time,
      tags,
      ignore: 'x',
    }
    const cells = (changed: Partial<typeof values> = {}) =>
      file.columns.map((column) => ({ ...values, ...changed })[column])
    const filled = (all: readonly string[]) => all.map((cell) => (cell.trim() === '' ? 'x' : cell))
    // After wrong quotes the service goes on with the next line, and nobody can tell what a delimiter in a cell is.
    const oneLine = () => cells({ first_name: name.replaceAll(/[\n\t,;"]/g, ' '), tags: 'news' })
    switch (one.damage) {
      case 'first_cell_missing':
        return line(filled(cells()).slice(1))
      case 'last_cell_missing':
        return line(filled(cells()).slice(0, -1))
      case 'surplus_cell_first':
        return line(['surplus', ...filled(cells())])
      case 'surplus_cell_last':
        return line([...cells(), 'surplus'])
      case 'wrong_quotes':
        return ['"wrong"quotes', ...oneLine().slice(1).map(quoted)].join(delimiter)
      case 'open_quote':
        return [...oneLine().slice(0, -1).map(quoted), '"open'].join(delimiter)
      case 'control_character':
        return line(cells({ email: `${values.email}\u0007` }))
      case 'control_characters_beside':
        return line(file.columns.map((of) => values[of] + (of === 'email' || of === 'status' ? '' : '\u0007')))
      case 'no_address':
        return line(cells({ email: ' ', ignore: 'x' }))
      case 'wrong_address':
        return line(cells({ email: `${values.email}@` }))
      case 'blank':
        return line(cells().map(() => ''))
      case undefined:
        return line(cells())
    }
  }
  const lines = [
    ...(file.namesDelimiter || file.rows.some(hidesDelimiter) ? [`sep=${delimiter}`] : []),
    line(headersOf(file)),
    ...file.rows.flatMap((one) => (one.hasEmptyLine ? [textOf(one), ''] : [textOf(one)])),
  ]
  return encoding.write(lines.join(newline) + (file.endsWithNewline ? newline : ''))
}
