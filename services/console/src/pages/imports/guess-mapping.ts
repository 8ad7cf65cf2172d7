import { fieldLabelsOf } from '../../parts/field-labels.ts'
import { inWords } from '../../parts/words.ts'

const names: Record<string, readonly string[]> = {
  email: ['email', 'mail', 'emailaddress', 'address', 'subscriber'],
  first_name: ['firstname', 'givenname', 'vorname', 'prenom', 'forename'],
  last_name: ['lastname', 'surname', 'familyname', 'nachname', 'nom'],
  company: ['company', 'organization', 'organisation', 'firma'],
  country_code: ['country', 'countrycode', 'cc'],
  locale: ['locale', 'language', 'lang'],
  timezone: ['timezone', 'tz'],
  phone: ['phone', 'mobile', 'telephone'],
  tags: ['tags', 'labels', 'groups'],
  status: ['status', 'state', 'subscribed'],
  captured_at: ['capturedat', 'optintime', 'optin', 'consentat', 'subscribedat', 'createdat'],
}

/** What a column can be: something of every contact, a custom field by its label, or nothing. */
export function targetChoices(
  definitions: readonly { field_key: string; label: string }[],
): { value: string; label: string }[] {
  const ofEveryContact = Object.keys(names).map((value) => ({ value, label: inWords(value) }))
  const labels = fieldLabelsOf(
    definitions,
    ofEveryContact.map(({ label }) => label),
  )
  return [
    ...ofEveryContact,
    { value: 'ignore', label: 'Leave it out' },
    ...[...labels].map(([key, label]) => ({ value: `custom.${key}`, label })),
  ]
}

type Mapping = Readonly<Record<string, string>>

/** One column of a file. Its key names it in a mapping: its header, or its position if the header is empty or repeated. */
export interface FileColumn {
  key: string
  header: string
  label: string
}

export function columnsOf(headers: readonly string[]): FileColumn[] {
  return headers.map((header, index) => {
    const key = `#${index + 1}`
    if (header === '') return { key, header, label: `Column ${index + 1}` }
    const isRepeated = headers.filter((other) => other === header).length > 1
    return isRepeated
      ? { key, header, label: `${header} (column ${index + 1})` }
      : { key: header, header, label: header }
  })
}

/** The targets of columns that their names suggest, each target once. Other columns are ignored. */
export function guessMapping(columns: readonly FileColumn[], customFields: readonly string[] = []): Mapping {
  const taken = new Set<string>()
  const targetOf = ({ header }: FileColumn): string => {
    const plain = header.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
    const custom = customFields.find((field) => field.replaceAll('_', '') === plain)
    const target = custom ? `custom.${custom}` : Object.keys(names).find((name) => names[name]!.includes(plain))
    if (target === undefined || taken.has(target)) return 'ignore'
    taken.add(target)
    return target
  }
  return Object.fromEntries(columns.map((column) => [column.key, targetOf(column)]))
}

/** The targets that a mapping or a profile gives these columns. Headers match in any case, as they do for a profile. */
export function namedMapping(columns: readonly FileColumn[], mapping: Mapping): Mapping {
  const folded = new Map(Object.entries(mapping).map(([key, target]) => [key.trim().toLowerCase(), target]))
  const targetOf = ({ key, header }: FileColumn, index: number) =>
    mapping[key] ?? mapping[header] ?? folded.get(header.toLowerCase()) ?? mapping[`#${index + 1}`] ?? 'ignore'
  return Object.fromEntries(columns.map((column, index) => [column.key, targetOf(column, index)]))
}

/** Lines such as `active = subscribed`, as the meanings of cells. A line without a meaning has an empty one, which is refused. */
export function statusValuesOf(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf('=')
      return end === -1
        ? [line.trim(), '']
        : [
            line.slice(0, end).trim(),
            line
              .slice(end + 1)
              .trim()
              .toLowerCase(),
          ]
    }),
  )
}

/** The same lines of a policy that was sent before. */
export const statusLinesOf = (values: unknown): string =>
  typeof values === 'object' && values !== null
    ? Object.entries(values)
        .map(([cell, status]) => `${cell} = ${String(status)}`)
        .join('\n')
    : ''
