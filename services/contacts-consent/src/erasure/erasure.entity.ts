import { defineEntity, p, sql as now } from '@mikro-orm/core'
import { column, columns, kyselyOf, prepared, sql, statement, unplanned, type Em, type Row } from '@lettergate/database'
import type { AddressHash } from '../values/address-hash.ts'

/** An erased contact, by id. The keyed hash of the address is stored while no contact has the address. */
export const Erasure = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    keyId: p.text().nullable(),
    addressHmac: p.blob().nullable(),
    newContactId: p.uuid().nullable(),
    requestedBy: p.text(),
    requestedAt: p.datetime().defaultRaw('now()'),
    announcedAt: p.datetime().defaultRaw('now()'),
    lateSince: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
  },
})

/** The rows that the services report as deleted. */
export const ErasurePart = defineEntity({
  name: 'ErasurePart',
  tableName: 'erasure_parts',
  properties: {
    workspaceId: p.uuid().primary(),
    erasureId: p.uuid().primary(),
    service: p.text().primary(),
    part: p.integer().primary(),
    parts: p.integer(),
    removed: p.json<Record<string, number>>(),
    reportedAt: p.datetime().defaultRaw('now()'),
  },
})

const selectErasure = (em: Em, workspaceId: string) =>
  kyselyOf(em, Erasure)
    .selectFrom('erasures')
    .select(['id', 'contact_id', 'requested_by', 'requested_at', 'completed_at'])
    .where('workspace_id', '=', workspaceId)

export type ErasureRow = NonNullable<Awaited<ReturnType<typeof findErasure>>>

export const findErasure = (em: Em, workspaceId: string, id: string) =>
  selectErasure(em, workspaceId).where('id', '=', id).executeTakeFirst()

export const findErasureOfContact = (em: Em, workspaceId: string, contactId: string) =>
  selectErasure(em, workspaceId).where('contact_id', '=', contactId).executeTakeFirst()

export async function insertErasure(
  em: Em,
  workspaceId: string,
  made: { id: string; contactId: string; requestedBy: string; hash: AddressHash },
): Promise<void> {
  await kyselyOf(em, Erasure)
    .insertInto('erasures')
    .values({
      workspace_id: workspaceId,
      id: made.id,
      contact_id: made.contactId,
      key_id: made.hash.keyId,
      address_hmac: made.hash.hmac,
      requested_by: made.requestedBy,
    })
    .execute()
}

export type ReportedPart = Pick<Row<typeof ErasurePart>, 'service' | 'part' | 'parts' | 'removed'>

export const partsOf = (em: Em, workspaceId: string, erasureId: string) =>
  kyselyOf(em, ErasurePart)
    .selectFrom('erasure_parts')
    .select(['service', 'part', 'parts', 'removed'])
    .where('workspace_id', '=', workspaceId)
    .where('erasure_id', '=', erasureId)
    .orderBy('service')
    .orderBy('part')
    .execute()

const keepErasurePart = statement('keep-erasure-part')

/** Stores the report of a service. A repeated report of the same part is added to the earlier one. */
export const keepPart = (em: Em, workspaceId: string, erasureId: string, part: ReportedPart): Promise<number> =>
  keepErasurePart.execute(
    em,
    sql`insert into erasure_parts as kept (workspace_id, erasure_id, service, part, parts, removed)
        values (${workspaceId}, ${erasureId}, ${part.service}, ${part.part}, ${part.parts}, ${JSON.stringify(part.removed)}::jsonb)
        on conflict (workspace_id, erasure_id, service, part) do update set
          parts = excluded.parts, reported_at = now(),
          removed = (select coalesce(jsonb_object_agg(kind, rows), '{}')
                       from (select kind, sum(value::int) as rows
                               from (select * from jsonb_each_text(kept.removed) union all select * from jsonb_each_text(excluded.removed)) as said (kind, value)
                              group by kind) as summed)`,
  )

export const completeErasure = (em: Em, workspaceId: string, id: string): Promise<number> =>
  em.nativeUpdate(Erasure, { workspaceId, id, completedAt: null }, { completedAt: now.now() })

/** Locks an erasure until the transaction ends, so that reports are added one after another. */
export const holdErasure = async (em: Em, workspaceId: string, id: string): Promise<boolean> =>
  (await kyselyOf(em, Erasure)
    .selectFrom('erasures')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()) !== undefined

const selectRunning = statement('select-running-erasures', columns(Erasure, 'workspace_id', 'id', 'contact_id'))

/** Up to a hundred unanswered erasures of all workspaces, oldest first, without the postponed ones. */
export const findRunningErasures = (em: Em, postponed: readonly string[]) =>
  selectRunning.rows(
    em,
    sql`select workspace_id, id, contact_id from erasures
         where completed_at is null and announced_at < now() - interval '1 hour' and id <> all(${[...postponed]}::uuid[])
         order by announced_at limit 100`,
  )

const takeAnnouncement = statement('take-unanswered-erasure')
const takeAlert = statement('take-late-erasure')

/** Claims the repeated event of an erasure after an hour without an answer; 0 if another process has claimed it. */
export const takeUnanswered = (em: Em, workspaceId: string, id: string): Promise<number> =>
  takeAnnouncement.execute(
    em,
    sql`update erasures set announced_at = now()
         where workspace_id = ${workspaceId} and id = ${id} and completed_at is null and announced_at < now() - interval '1 hour'`,
  )

/** Claims the alert about an erasure that is not completed after a day; 0 if there is none to raise. */
export const takeLate = (em: Em, workspaceId: string, id: string): Promise<number> =>
  takeAlert.execute(
    em,
    sql`update erasures set late_since = now()
         where workspace_id = ${workspaceId} and id = ${id} and completed_at is null and late_since is null
           and requested_at < now() - interval '1 day'`,
  )

const selectByHash = statement('select-erasures-by-hash', {
  ...columns(Erasure, 'id', 'contact_id'),
  address_hmac: column.bytea(),
})

/** The contacts of this workspace whose erased address has one of these hashes, with the hash. */
export const findErasedAddresses = (em: Em, workspaceId: string, hashes: readonly Buffer[]) =>
  selectByHash.rows(
    em,
    prepared(sql`select id, contact_id, address_hmac from erasures
         where workspace_id = ${workspaceId} and address_hmac = any(${unplanned([...hashes], 'bytea[]')}) order by id for update`),
  )

const deleteHashes = statement('delete-address-hashes')

/** Deletes the hashes of addresses that were added again. Their suppressions now belong to the new contacts. */
export const deleteAddressHashes = (
  em: Em,
  workspaceId: string,
  returned: readonly { erasureId: string; newContactId: string }[],
): Promise<number> =>
  deleteHashes.execute(
    em,
    sql`update erasures e set key_id = null, address_hmac = null, new_contact_id = r.new_contact_id
          from unnest(${returned.map(({ erasureId }) => erasureId)}::uuid[], ${returned.map(({ newContactId }) => newContactId)}::uuid[]) as r (id, new_contact_id)
         where e.workspace_id = ${workspaceId} and e.id = r.id`,
  )

/** Keeps the hash of an erased address again, if this contact of it is deleted. */
export const keepHashAgain = (
  em: Em,
  workspaceId: string,
  contactId: string,
  { keyId, hmac }: AddressHash,
): Promise<number> =>
  em.nativeUpdate(Erasure, { workspaceId, newContactId: contactId }, { keyId, addressHmac: hmac, newContactId: null })

const selectCurrent = statement('select-current-contact', { id: column.uuid() })

/** The current contact of a person, who may have been erased and added again several times since this contact. */
export async function currentContactId(em: Em, workspaceId: string, contactId: string): Promise<string> {
  const found = await selectCurrent.row(
    em,
    sql`with recursive contacts_of_person (id, step) as (
          select ${contactId}::uuid, 0
          union all
          select e.new_contact_id, c.step + 1 from contacts_of_person c
            join erasures e on e.workspace_id = ${workspaceId} and e.contact_id = c.id and e.new_contact_id is not null)
        select id from contacts_of_person order by step desc limit 1`,
  )
  return found!.id
}

const selectKeys = statement('select-hash-keys-in-use', { key_id: column.text() })

/** The keys of all stored hashes of erasures and platform suppressions, in every workspace. */
export const hashKeysInUse = (em: Em) =>
  selectKeys.rows(
    em,
    sql`select distinct key_id from erasures where key_id is not null
        union select distinct key_id from platform_suppressions where key_id is not null`,
  )
