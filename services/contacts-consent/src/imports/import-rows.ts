import type { JsonObject } from '@bufbuild/protobuf'
import type { ImportRows as GivenRows } from '@lettergate/contracts/contacts/v1/imports'
import { Fault } from '@lettergate/fault'
import { isDateTime } from '@lettergate/values/moment'
import { fitsIn, textCharsMax } from '@lettergate/values/text'
import { assignedCountries } from '../contacts/country-code.ts'
import { customFieldsCharsMax } from '../contacts/write-contacts.ts'
import { customFieldOfText } from '../custom-fields/custom-field-text.ts'
import type { DefinedField } from '../custom-fields/custom-fields.ts'
import { charsMax } from '../values/chars-max.ts'
import { parseEmail } from '../values/normalized-email.ts'

export const importStatuses = ['', 'subscribed', 'unsubscribed', 'suppressed', 'pending', 'unknown'] as const
/** What the rows of an address say of its consent; empty if they say nothing, `unknown` if nobody can interpret one of them. */
export type GivenStatus = (typeof importStatuses)[number]

const textLimits = {
  first_name: charsMax.personName,
  last_name: charsMax.personName,
  company: charsMax.company,
  country_code: 2,
  locale: textCharsMax,
  timezone: textCharsMax,
  phone: textCharsMax,
} as const
export type TextField = keyof typeof textLimits
export const textFields = Object.keys(textLimits) as TextField[]

const aheadMsMax = 5 * 60_000
/** The ledger and the answers name no more of a row, because a row can have hundreds of cells. The address is checked first. */
const problemsMax = 10
const customPrefix = 'custom.'

/** The rows of one batch, by column. A column that the mapping does not fill is undefined, an empty value is null. */
export interface ImportBatch {
  readonly rowNumbers: readonly number[]
  readonly emails: readonly string[]
  readonly normalizedEmails: readonly string[]
  readonly statuses: readonly GivenStatus[]
  readonly texts: ReadonlyMap<TextField, readonly (string | null)[]>
  /** only those that a row gives; null for a row without any */
  readonly custom: readonly (JsonObject | null)[] | undefined
  readonly tags: readonly (readonly string[])[] | undefined
  readonly capturedAt: readonly (string | null)[] | undefined
  /** row → the values that cannot be stored. The value itself is null. */
  readonly problems: ReadonlyMap<number, readonly string[]>
}

const refused = (message: string) => new Fault('invalid_argument', 'rows', `rows: ${message}`)

/** Collects the problems of rows. */
function openProblems() {
  const found = new Map<number, string[]>()
  return {
    found,
    add(row: number, reason: string): null {
      const known = found.get(row)
      if (!known) found.set(row, [reason])
      else if (known.length < problemsMax && !known.includes(reason)) known.push(reason)
      return null
    },
  }
}
type Problems = ReturnType<typeof openProblems>

function parseEmails(values: readonly string[], problems: Problems) {
  const emails: string[] = []
  const normalizedEmails: string[] = []
  for (const [row, value] of values.entries()) {
    try {
      const parsed = parseEmail(value)
      emails.push(parsed.email)
      normalizedEmails.push(parsed.normalizedEmail)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      problems.add(row, 'email_invalid')
      emails.push('')
      normalizedEmails.push('')
    }
  }
  const valid = normalizedEmails.filter((email) => email !== '')
  if (new Set(valid).size !== valid.length) throw refused('an address must not be in a batch twice.')
  return { emails, normalizedEmails }
}

function parseTexts(target: TextField, values: readonly string[], problems: Problems): (string | null)[] {
  const max = textLimits[target]
  return values.map((value, row) => {
    if (value === '') return null
    if (target === 'country_code') {
      const code = value.toUpperCase()
      return value.length === 2 && assignedCountries.has(code) ? code : problems.add(row, 'country_code_invalid')
    }
    if (!fitsIn(max, value)) return problems.add(row, `${target}_too_long`)
    return value.includes('\u0000') ? problems.add(row, `${target}_invalid`) : value
  })
}

const isStatus = (value: string): value is GivenStatus => (importStatuses as readonly string[]).includes(value)

function parseStatuses(values: readonly string[]): GivenStatus[] {
  return values.map((value) => {
    if (!isStatus(value)) throw refused('a status must be subscribed, unsubscribed, suppressed, pending or unknown.')
    return value
  })
}

function parseCapturedAt(values: readonly string[], now: Date, problems: Problems): (string | null)[] {
  const latest = now.getTime() + aheadMsMax
  return values.map((value, row) => {
    if (value === '') return null
    if (!isDateTime(value)) return problems.add(row, 'captured_at_invalid')
    return Date.parse(value.toUpperCase()) > latest ? problems.add(row, 'captured_at_in_future') : value
  })
}

function parseTags(
  values: readonly string[] | undefined,
  rows: number,
  { staticTags, problems }: { staticTags: readonly string[]; problems: Problems },
): (readonly string[])[] | undefined {
  if (values === undefined) return staticTags.length === 0 ? undefined : Array.from({ length: rows }, () => staticTags)
  return values.map((value, row) => {
    if (value === '') return staticTags
    const names = value.split(';').map((name) => name.trim())
    const valid = names.filter((name) => {
      if (!fitsIn(charsMax.tag, name)) problems.add(row, 'tags_too_long')
      else if (name.includes('\u0000')) problems.add(row, 'tags_invalid')
      else return name !== ''
      return false
    })
    return [...new Set([...valid, ...staticTags])]
  })
}

function parseCustom(
  columns: ReadonlyMap<string, readonly string[]>,
  rows: number,
  { definitions, problems }: { definitions: readonly DefinedField[]; problems: Problems },
): (JsonObject | null)[] | undefined {
  const custom = [...columns].filter(([target]) => target.startsWith(customPrefix))
  if (custom.length === 0) return undefined
  const byKey = new Map(definitions.map((definition) => [definition.fieldKey, definition]))
  const fields = Array.from({ length: rows }, (): JsonObject | null => null)
  for (const [target, values] of custom) {
    const key = target.slice(customPrefix.length)
    const definition = byKey.get(key)
    if (!definition) throw refused(`${target} is not defined. Define the field first.`)
    for (const [row, text] of values.entries()) {
      if (text === '') continue
      const value = customFieldOfText(definition, text)
      if (value === undefined) problems.add(row, `${target}_invalid`)
      else (fields[row] ??= {})[key] = value
    }
  }
  return fields.map((one, row) => {
    if (one === null || JSON.stringify(one).length <= customFieldsCharsMax) return one
    return problems.add(row, 'custom_fields_too_long')
  })
}

/** The custom fields that the columns name. */
export const customFieldKeysOf = (given: GivenRows | undefined): string[] =>
  (given?.columns ?? []).flatMap(({ target }) =>
    target.startsWith(customPrefix) ? [target.slice(customPrefix.length)] : [],
  )

const knownTargets: ReadonlySet<string> = new Set([...textFields, 'email', 'status', 'tags', 'captured_at'])

const valuesSeparator = '\u001f'

/** The values of each target, one for each row. Throws Fault `invalid_argument` for a batch without this shape. */
function columnsOf({ rowNumbers, columns }: GivenRows, rowsMax: number): Map<string, readonly string[]> {
  const rows = rowNumbers.length
  if (rows > rowsMax) throw refused(`a batch has at most ${rowsMax} rows.`)
  if (new Set(rowNumbers).size !== rows || rowNumbers.includes(0)) throw refused('a row number is there once, from 1.')
  const targets = columns.map(({ target }) => target)
  if (new Set(targets).size !== targets.length) throw refused('a target must be there once.')
  return new Map(
    columns.map(({ target, values: joined }) => {
      if (!target.startsWith(customPrefix) && !knownTargets.has(target)) throw refused(`${target} is not a target.`)
      const values = rows === 0 ? [] : joined.split(valuesSeparator)
      if (values.length !== rows) throw refused(`${target} must have one value for each row.`)
      return [target, values] as const
    }),
  )
}

/**
 * Parses the rows of a batch. A value that cannot be stored becomes a problem of its row, with a stable reason. Throws Fault
 * `invalid_argument` for a batch that the caller built wrongly.
 */
export function parseRows(
  given: GivenRows | undefined,
  {
    definitions,
    staticTags,
    now,
    rowsMax,
  }: { definitions: readonly DefinedField[]; staticTags: readonly string[]; now: Date; rowsMax: number },
): ImportBatch {
  if (!given) throw refused('they are required.')
  const columns = columnsOf(given, rowsMax)
  const rows = given.rowNumbers.length
  const addresses = columns.get('email')
  if (!addresses && rows > 0) throw refused('email is required.')
  const problems = openProblems()
  const { emails, normalizedEmails } = parseEmails(addresses ?? [], problems)
  const capturedAt = columns.get('captured_at')
  return {
    rowNumbers: given.rowNumbers,
    emails,
    normalizedEmails,
    statuses: parseStatuses(columns.get('status') ?? given.rowNumbers.map(() => '')),
    texts: new Map(
      textFields.flatMap((target) => {
        const values = columns.get(target)
        return values ? [[target, parseTexts(target, values, problems)] as const] : []
      }),
    ),
    custom: parseCustom(columns, rows, { definitions, problems }),
    tags: parseTags(columns.get('tags'), rows, { staticTags, problems }),
    capturedAt: capturedAt && parseCapturedAt(capturedAt, now, problems),
    problems: problems.found,
  }
}
