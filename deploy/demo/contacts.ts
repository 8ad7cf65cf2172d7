import { readFileSync } from 'node:fs'

/** One line of contacts.jsonl. */
export interface DemoContact {
  email: string
  first_name: string
  last_name: string
  company: string | null
  country_code: string
  locale: string
  tags?: string[]
  custom_fields?: Record<string, unknown>
  consent: { captured_at: string; form_identifier: string; wording_version: string; page_url: string }
  /** imported from an old list, without evidence of consent */
  is_legacy?: boolean
  /** the field that the 422 has to name; such a row must not become a contact */
  malformed?: string
}

/** The behaviour that the local mail provider reads from an address, or `delivered`. */
export const behaviourOf = (email: string): string => /\+(\w+)@/.exec(email)?.[1] ?? 'delivered'

/** The rows of the file. From the second run of the demo on a state directory the addresses are new: `anna.7.r2+open@…`. */
export function readContacts(round: number): DemoContact[] {
  const lines = readFileSync(new URL('contacts.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const rows = lines.map((line) => JSON.parse(line) as DemoContact)
  if (round === 1) return rows
  return rows.map((row) => (row.malformed ? row : { ...row, email: row.email.replace(/(?=(\+\w+)?@)/, `.r${round}`) }))
}
