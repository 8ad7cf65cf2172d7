import {
  arrayOf,
  column,
  held,
  newId,
  prepared,
  sql,
  statement,
  textsOf,
  unplanned,
  uuidsOf,
  type Em,
  type Sql,
} from '@lettergate/database'
import type { JsonObject } from '@bufbuild/protobuf'
import { sharedDetailsId } from '../shared-details/shared-details.entity.ts'
import { textFields, type ImportBatch } from './import-rows.ts'

const insertContacts = statement('insert-import-contacts', { id: column.uuid() })
const fillContacts = statement('fill-import-contacts')
const insertProvenance = statement('insert-import-provenance')
const insertTags = statement('insert-import-tags')

const jsonOf = (batch: ImportBatch, row: number) => {
  const fields = batch.custom?.[row]
  return fields ? JSON.stringify(fields) : null
}

/** The values of these rows, as an array of texts. */
const textsAt = (values: readonly (string | null)[], rows: readonly number[]): Sql =>
  unplanned(textsOf(rows.map((row) => values[row]!)), 'text[]')

/** The columns that the mapping fills: their names, and their values for these rows. */
const filledColumns = (batch: ImportBatch, rows: readonly number[]): { name: string; values: Sql }[] => [
  ...textFields.flatMap((name) => {
    const values = batch.texts.get(name)
    return values
      ? [
          {
            name,
            values: textsAt(values, rows),
          },
        ]
      : []
  }),
  ...(batch.custom
    ? [
        {
          name: 'custom_fields',
          values: unplanned(textsOf(rows.map((row) => jsonOf(batch, row))), 'text[]'),
        },
      ]
    : []),
]

/** The same columns as a select takes them from `i`. */
const taken = (name: string): Sql =>
  name === 'custom_fields' ? sql`coalesce(i.custom_fields::jsonb, '{}')` : sql`i.${sql.ref(name)}`

/**
 * Locks the contacts of these rows until the transaction ends, and creates the missing ones with the values of their rows.
 * Answers the id of each created contact by its row. All writers of several contacts lock them in this order.
 */
export async function holdOrCreateContacts(
  em: Em,
  workspaceId: string,
  batch: ImportBatch,
  rows: readonly number[],
): Promise<Map<number, string>> {
  if (rows.length === 0) return new Map()
  const ids = rows.map(() => newId())
  const filled = filledColumns(batch, rows)
  const names = (of: (name: string) => Sql) => filled.map(({ name }) => sql`, ${of(name)}`)
  const inserted = await insertContacts.rows(
    em,
    prepared(sql`insert into contacts as c (workspace_id, id, email, normalized_email${sql.join(
      names((name) => sql.ref(name)),
      sql``,
    )})
        select ${workspaceId}::uuid, i.id, i.email, i.normalized_email${sql.join(names(taken), sql``)}
          from unnest(${unplanned(uuidsOf(ids), 'uuid[]')}, ${textsAt(batch.emails, rows)},
                      ${textsAt(batch.normalizedEmails, rows)}${sql.join(
                        filled.map(({ values }) => sql`, ${values}`),
                        sql``,
                      )}) as i (id, email, normalized_email${sql.join(
                        names((name) => sql.ref(name)),
                        sql``,
                      )})
         order by i.normalized_email
        on conflict on constraint contacts_normalized_email do update set updated_at = c.updated_at where false
        returning c.id`),
  )
  const created = new Set(inserted.map(({ id }) => id))
  return new Map(rows.flatMap((row, index) => (created.has(ids[index]!) ? [[row, ids[index]!] as const] : [])))
}

/** A row that writes a contact. */
export interface WrittenRow {
  readonly row: number
  readonly contactId: string
  readonly isNew: boolean
  readonly addsDetails: boolean
  readonly addsCustomFields: boolean
}

/** Fills empty fields of existing contacts, without overwriting. The contacts are locked, so each is a conflict. */
export async function fillExisting(
  em: Em,
  workspaceId: string,
  batch: ImportBatch,
  written: readonly WrittenRow[],
): Promise<void> {
  const existing = written.filter(({ isNew, addsDetails }) => !isNew && addsDetails)
  const rows = existing.map(({ row }) => row)
  const texts = textFields.flatMap((name) => {
    const values = batch.texts.get(name)
    return values
      ? [
          {
            name,
            values: textsAt(values, rows),
          },
        ]
      : []
  })
  const custom =
    batch.custom && existing.map(({ row, addsCustomFields }) => (addsCustomFields ? jsonOf(batch, row) : null))
  if (rows.length === 0 || (texts.length === 0 && custom === undefined)) return
  const filled = [
    ...texts,
    ...(custom ? [{ name: 'custom_fields', values: unplanned(textsOf(custom), 'text[]') }] : []),
  ]
  const set = filled.map(({ name }) =>
    name === 'custom_fields'
      ? sql`custom_fields = excluded.custom_fields || c.custom_fields`
      : sql`${sql.ref(name)} = coalesce(nullif(c.${sql.ref(name)}, ''), excluded.${sql.ref(name)})`,
  )
  const isEmpty = filled.map(({ name }) =>
    name === 'custom_fields'
      ? sql`excluded.custom_fields || c.custom_fields <> c.custom_fields`
      : sql`(coalesce(c.${sql.ref(name)}, '') = '' and excluded.${sql.ref(name)} is not null)`,
  )
  const names = (of: (name: string) => Sql) => filled.map(({ name }) => sql`, ${of(name)}`)
  await fillContacts.execute(
    em,
    held(sql`insert into contacts as c (workspace_id, id, email, normalized_email${sql.join(
      names((name) => sql.ref(name)),
      sql``,
    )})
        select ${workspaceId}::uuid, i.id, i.email, i.email${sql.join(names(taken), sql``)}
          from unnest(${unplanned(uuidsOf(existing.map(({ contactId }) => contactId)), 'uuid[]')},
                      ${textsAt(batch.normalizedEmails, rows)}${sql.join(
                        filled.map(({ values }) => sql`, ${values}`),
                        sql``,
                      )}) as i (id, email${sql.join(
                        names((name) => sql.ref(name)),
                        sql``,
                      )})
        on conflict on constraint contacts_normalized_email do update set ${sql.join(set)}, updated_at = now()
        where ${sql.join(isEmpty, sql` or `)}`),
  )
}

/** Appends where the values of contacts came from: this import and the row. */
export async function appendProvenance(
  em: Em,
  workspaceId: string,
  {
    batch,
    metadata,
    actor,
  }: { batch: ImportBatch; metadata: JsonObject; actor: { actor: string; actorKind: string; correlationId: string } },
  written: readonly WrittenRow[],
): Promise<void> {
  if (written.length === 0) return
  const sharedId = await sharedDetailsId(em, workspaceId, metadata)
  await insertProvenance.execute(
    em,
    held(sql`insert into contact_provenance (workspace_id, contact_id, id, source, source_metadata, actor, actor_kind,
               correlation_id, is_creation, shared_id)
        select ${workspaceId}::uuid, i.contact_id, i.id, 'csv_import', jsonb_build_object('row_number', i.row_number),
               ${actor.actor}, ${actor.actorKind}, ${actor.correlationId}, i.is_creation, ${sharedId}::uuid
          from unnest(${unplanned(uuidsOf(written.map(({ contactId }) => contactId)), 'uuid[]')},
                      ${unplanned(uuidsOf(written.map(() => newId())), 'uuid[]')},
                      ${unplanned(arrayOf(written.map(({ row }) => batch.rowNumbers[row]!)), 'integer[]')},
                      ${unplanned(arrayOf(written.map(({ isNew }) => String(isNew))), 'boolean[]')})
            as i (contact_id, id, row_number, is_creation)`),
  )
}

/** A tag of a contact that does not have it. */
export interface AddedTag {
  readonly contactId: string
  readonly tagId: string
  readonly position: number
}

/** Adds tags to contacts. The contacts must be locked and the tags held. */
export async function addTags(em: Em, workspaceId: string, added: readonly AddedTag[]): Promise<void> {
  if (added.length === 0) return
  await insertTags.execute(
    em,
    held(sql`insert into contact_tags (workspace_id, contact_id, tag_id, position)
        select ${workspaceId}::uuid, i.contact_id, i.tag_id, i.position
          from unnest(${unplanned(uuidsOf(added.map(({ contactId }) => contactId)), 'uuid[]')},
                      ${unplanned(uuidsOf(added.map(({ tagId }) => tagId)), 'uuid[]')},
                      ${unplanned(arrayOf(added.map(({ position }) => position)), 'integer[]')}) as i (contact_id, tag_id, position)`),
  )
}
