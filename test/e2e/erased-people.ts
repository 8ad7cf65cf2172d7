import { createHash } from 'node:crypto'
import { expect } from '@jest/globals'
import pg from 'pg'

export const workspace = '/api/v1/organizations/acme/workspaces/newsletter'
export const atConsole = '/console/api/organizations/acme/workspaces/newsletter'

/** The erased contacts, in mixed case; the local mail provider reads its behaviour from the address. */
export const people = [
  { email: 'Quillon.Vexworth+complain@Sentinel-Mail.test', first: 'Quillonius', last: 'Vexworthy' },
  { email: 'Xanthe.Brambletop+hardbounce@Sentinel-Mail.test', first: 'Xanthippea', last: 'Brambletoppe' },
  { email: 'Ulverin.Drosk+open@Sentinel-Mail.test', first: 'Ulverinus', last: 'Droskovar' },
]

/** All personal data of the contacts: texts, and hashes that can be computed from them. */
const needles = people.flatMap(({ email, first, last }) => {
  const normalized = email.toLowerCase()
  const hashes = ['sha256', 'md5'].map((kind) => createHash(kind).update(normalized).digest('hex'))
  return [normalized, encodeURIComponent(normalized), normalized.split('@')[0]!, first, last, ...hashes].map((text) =>
    text.toLowerCase(),
  )
})
/** The personal data in this text. */
export const foundIn = (text: string) => {
  const lower = text.toLowerCase()
  return needles.filter((needle) => lower.includes(needle))
}

/** Columns that must contain personal data before the erasure. */
export const columnsOfPeople = [
  'contacts.contacts.normalized_email',
  'contacts.contacts.first_name_lower',
  'contacts.contact_sources.source_identifier',
  'contacts.contact_provenance.source_metadata',
  'contacts.consent_evidence.evidence',
  'contacts.suppressions.evidence',
  'contacts.suppressions.resolution_reason',
  'contacts.source_receipts.idempotency_key',
  'contacts.source_receipts.page_path',
  'campaigns.run_recipients.normalized_email',
  'campaigns.test_sends.recipient_email',
  'automations.enrollment_events.reason',
]

/** One of these contacts as a CRM submits it, with every field for personal data. */
export const asContact = ({ email, first, last }: (typeof people)[number]) => ({
  email,
  first_name: first,
  last_name: last,
  company: `${last} Ltd`,
  phone: '+354 555 0101',
  tags: ['pioneer'],
  custom_fields: { nickname: first },
  is_legacy: true,
  legacy_consent_evidence: { type: 'form', reference: `paper of ${first} ${last}` },
  source: 'crm',
  source_identifier: `crm-${email}`,
  source_metadata: { note: `${first} called` },
})

export type Query = (text: string, parameters?: unknown[]) => Promise<{ rows: Record<string, string>[] }>

/** One statement as the administrator of the database. */
export async function queryOf(databaseUrl: string, text: string, parameters: unknown[] = []) {
  const database = new pg.Client(databaseUrl)
  await database.connect()
  try {
    return await database.query<Record<string, string>>(text, parameters)
  } finally {
    await database.end()
  }
}

/** Every column of every table that holds a needle, as `schema.table.column needle`. */
export async function searchTables(query: Query): Promise<string[]> {
  const { rows: columns } = await query(
    `select n.nspname as schema, c.relname as name, a.attname as column, t.typname as type
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       join pg_type t on t.oid = a.atttypid
      where c.relkind in ('r', 'p', 'm') and n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`,
  )
  expect(columns.length).toBeGreaterThan(400)
  const tables = Map.groupBy(
    columns as Record<'schema' | 'name' | 'column' | 'type', string>[],
    ({ schema, name }) => `"${schema}"."${name}"`,
  )
  const found: string[] = []
  for (const [table, all] of tables) {
    // bytes as text: readable text in them stays unchanged
    const texts = all.map(({ schema, name, column, type }) => {
      const text = type === 'bytea' ? `encode(t."${column}", 'escape')` : `t."${column}"::text`
      return `('${schema}.${name}.${column}', lower(${text}))`
    })
    const { rows } = await query(
      `select distinct c.place, needle from ${table} t cross join lateral (values ${texts.join(', ')}) c (place, text), unnest($1::text[]) needle
        where strpos(c.text, needle) > 0`,
      [needles],
    )
    found.push(...rows.map(({ place, needle }) => `${place} ${needle}`))
  }
  return found
}
