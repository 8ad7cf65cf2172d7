import type { Import } from '@lettergate/client'
import { columnsOf, namedMapping, targetChoices } from './guess-mapping.ts'

const namedMost = 30

/** The columns of a file with what each becomes, and those that nothing is taken from. */
export interface ColumnsInWords {
  used: { key: string; label: string; target: string }[]
  leftOut: string[]
}

/** What the mapping of an import makes of its columns. A custom field has its label, or its key until the fields are read. */
export function columnsInWords(
  { headers, mapping }: Pick<Import, 'headers' | 'mapping'>,
  fields: Parameters<typeof targetChoices>[0],
): ColumnsInWords {
  const labels = new Map(targetChoices(fields).map(({ value, label }) => [value, label]))
  const columns = columnsOf(headers)
  const named = namedMapping(columns, mapping)
  const targetOf = (key: string) => named[key] ?? 'ignore'
  return {
    used: columns
      .filter(({ key }) => targetOf(key) !== 'ignore')
      .map(({ key, label }) => ({ key, label, target: labels.get(targetOf(key)) ?? targetOf(key) })),
    leftOut: columns.filter(({ key }) => targetOf(key) === 'ignore').map(({ label }) => label),
  }
}

/** A list in words, of which only the first are named if there are many. */
export const firstOf = (names: readonly string[]): string =>
  names.length > namedMost
    ? `${names.slice(0, namedMost).join(', ')} and ${names.length - namedMost} more`
    : names.join(', ')
