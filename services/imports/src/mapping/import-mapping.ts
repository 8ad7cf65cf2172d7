import { delimiterName } from '../reading/delimiter-names.ts'
import type { FileFormat } from '../reading/file-format.ts'
import { nearestHeader } from './nearest-header.ts'
import { customFieldKey, isMultiple, isTarget, targetList } from './mapping-targets.ts'

/** Header to target. A key such as `#3` names the third column, if no header is written like that. */
export type Mapping = Readonly<Record<string, string>>

/** The target of one column; columns count from 0. */
export interface MappedColumn {
  readonly column: number
  readonly target: string
}

const quoted = (text: string) => JSON.stringify(text.slice(0, 100))

/** The columns that a key of a mapping names: all with this header, else the one at this position. */
export function columnsNamed(key: string, headers: readonly string[]): number[] {
  const name = key.trim()
  const found = headers.flatMap((header, column) => (header === name ? column : []))
  if (found.length > 0) return found
  const position = /^#([1-9]\d{0,3})$/.exec(name)
  const column = position ? Number(position[1]) - 1 : -1
  return column >= 0 && column < headers.length ? [column] : []
}

/** The columns with a target, without those that are ignored, in the order of the file. */
export const mappedColumns = (mapping: Mapping, headers: readonly string[]): MappedColumn[] =>
  Object.entries(mapping)
    .flatMap(([key, target]) => columnsNamed(key, headers).map((column) => ({ column, target })))
    .filter(({ target }) => target !== 'ignore')
    .toSorted((a, b) => a.column - b.column)

/** The keys of the custom fields that a mapping names. */
export const customFieldKeys = (mapping: Mapping): string[] => [
  ...new Set(Object.values(mapping).flatMap((target) => customFieldKey(target) ?? [])),
]

/** What the file of an import is like, for its mapping. */
export type MappedFile = Pick<FileFormat, 'headers' | 'delimiter'>

const headersShownMax = 20
/** Each is compared with every header. */
const missingShownMax = 10

/** The headers of a file as they were read, and what to do if they were read wrongly. */
function readAs({ headers, delimiter }: MappedFile): string {
  const [only] = headers
  if (headers.length === 1)
    return `Its only header is ${quoted(only!)}: no commas, semicolons or tabs were found between cells. If it has several columns, save it with one of these and upload it again.`
  const shown = headers.slice(0, headersShownMax).map(quoted).join(', ')
  const more = headers.length > headersShownMax ? `, and ${headers.length - headersShownMax} more` : ''
  return `Its headers, read with ${delimiterName(delimiter)} between cells, are ${shown}${more}. If something else stands between cells, upload the file again with a first line such as sep=; in it.`
}

function noHeader(key: string, headers: readonly string[]): string {
  const nearest = nearestHeader(key, headers)
  return `mapping: the file has no header ${quoted(key)}.${nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`}`
}

/** What is wrong with a mapping for this file. Each problem names the header or the target. */
export function mappingProblems(mapping: Mapping, file: MappedFile, needsStatus: boolean): string[] {
  const { headers } = file
  const problems: string[] = []
  const missing = Object.keys(mapping).filter((key) => columnsNamed(key, headers).length === 0)
  for (const key of missing.slice(0, missingShownMax)) problems.push(noHeader(key, headers))
  if (missing.length > 0) problems[0] += ` ${readAs(file)}`
  const columns = new Map<string, number[]>()
  for (const [key, target] of Object.entries(mapping)) {
    const named = columnsNamed(key, headers)
    if (isTarget(target)) columns.set(target, [...(columns.get(target) ?? []), ...named])
    else problems.push(`mapping: ${quoted(key)} has the unknown target ${quoted(target)}. Use one of ${targetList}.`)
  }
  for (const [target, found] of columns) {
    const distinct = [...new Set(found)].toSorted((a, b) => a - b)
    if (distinct.length > 1 && !isMultiple(target)) problems.push(severalColumns(target, distinct, headers))
  }
  problems.push(...twiceMapped(mapping, headers))
  if (!columns.has('email')) problems.push('mapping: one header must have the target email.')
  if (needsStatus && !columns.has('status'))
    problems.push('mapping: one header must have the target status, because consent_policy is status_column.')
  return problems
}

function severalColumns(target: string, columns: readonly number[], headers: readonly string[]): string {
  const named = columns.map((column) => `#${column + 1} (${quoted(headers[column]!)})`).join(' and ')
  return `mapping: the columns ${named} have the target ${target}, which takes one column. Name the column by its position, such as ${quoted(`#${columns[0]! + 1}`)}.`
}

/** A header and a position, or two positions, can name one column. */
function twiceMapped(mapping: Mapping, headers: readonly string[]): string[] {
  const targets = new Map<number, string>()
  const problems: string[] = []
  for (const [key, target] of Object.entries(mapping)) {
    for (const column of columnsNamed(key, headers)) {
      const known = targets.get(column)
      if (known !== undefined && known !== target)
        problems.push(`mapping: the column #${column + 1} has two targets, ${quoted(known)} and ${quoted(target)}.`)
      targets.set(column, target)
    }
  }
  return problems
}
