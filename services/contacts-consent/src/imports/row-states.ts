import {
  arrayOf,
  column,
  prepared,
  sql,
  statement,
  textsOf,
  unplanned,
  type Em,
  type RowOf,
} from '@lettergate/database'
import { possibleHashes } from '../values/address-hash.ts'
import type { KeyRing } from '../values/key-ring.ts'
import type { ImportBatch } from './import-rows.ts'
import { unknownAddress, type RowState } from './row-outcome.ts'

const stateColumns = {
  row: column.integer(),
  contact_id: column.uuid(),
  is_workspace_suppressed: column.boolean(),
  is_audience_suppressed: column.boolean(),
  is_suppressed_by_import: column.boolean(),
  is_withdrawn: column.boolean(),
  is_withdrawal_in_force: column.boolean(),
  is_unverified_legacy: column.boolean(),
  is_under_review: column.boolean(),
  is_member: column.boolean(),
  was_erased: column.boolean(),
  tag_ids: column.uuids(),
  last_tag_position: column.integer(),
  has_room_for_custom_fields: column.boolean(),
}
const selectStates = statement('select-import-row-states', stateColumns)

interface Where {
  readonly workspaceId: string
  readonly audienceId: string
  readonly keys: KeyRing
}

const nullIfEmpty = (custom: ImportBatch['custom'], row: number) => {
  const fields = custom?.[row]
  return fields ? JSON.stringify(fields) : null
}

/**
 * The states of the rows whose address belongs to a contact. Without statistics the planner would read every contact, so each is
 * looked up. Planned for each batch: a plan that is kept from a time with few contacts may read all of them for each row.
 */
function contactStates(
  em: Em,
  { workspaceId, audienceId }: Where,
  batch: ImportBatch,
  { rows, emails }: { rows: readonly number[]; emails: string },
): Promise<RowOf<typeof stateColumns>[]> {
  const customs = batch.custom && rows.map((row) => nullIfEmpty(batch.custom, row))
  const tagsOf = sql`select array_agg(k.tag_id) as ids, max(k.position) as last from contact_tags k
                      where k.workspace_id = ${workspaceId} and k.contact_id = c.id`
  const merged = sql`q.custom is null or char_length((q.custom::jsonb || c.custom_fields)::text) <= 65536`
  return selectStates.rows(
    em,
    sql`select q.row, c.id as contact_id,
               coalesce(s.workspace, false) as is_workspace_suppressed,
               coalesce(s.audience, false) as is_audience_suppressed,
               coalesce(s.workspace_by_import, false) as is_suppressed_by_import,
               coalesce(m.consent = 'withdrawn', false) or (m.consent is null and exists (
                 select 1 from consent_events e where e.workspace_id = ${workspaceId} and e.contact_id = c.id
                    and e.kind = 'withdrawn' and (e.scope = 'workspace' or e.audience_id = ${audienceId}))) as is_withdrawn,
               coalesce(m.consent = 'withdrawn' and not m.is_active and s.audience_left, false) as is_withdrawal_in_force,
               coalesce(c.legacy_consent_classification <> 'documented', false) as is_unverified_legacy,
               m.under_review_since is not null as is_under_review,
               coalesce(m.is_active and m.consent = 'granted', false) as is_member,
               exists (select from erasures e where e.workspace_id = ${workspaceId} and e.new_contact_id = c.id) as was_erased,
               ${batch.tags ? sql`coalesce(t.ids, '{}')` : sql`'{}'::uuid[]`} as tag_ids,
               ${batch.tags ? sql`coalesce(t.last, 0)` : sql`0`} as last_tag_position,
               ${customs ? merged : sql`true`} as has_room_for_custom_fields
          from unnest(${unplanned(arrayOf(rows), 'integer[]')}, ${unplanned(emails, 'text[]')}${customs ? sql`, ${unplanned(textsOf(customs), 'text[]')}` : sql``}) as q (row, email${customs ? sql`, custom` : sql``})
         cross join lateral (
               select k.id, k.legacy_consent_classification, k.custom_fields from contacts k
                where k.workspace_id = ${workspaceId} and k.normalized_email = q.email limit 1) c
          left join lateral (
               select k.consent, k.is_active, k.under_review_since from memberships k
                where k.workspace_id = ${workspaceId} and k.audience_id = ${audienceId} and k.contact_id = c.id limit 1) m on true
          left join lateral (
               select bool_or(k.scope = 'workspace') as workspace,
                      bool_or(k.scope = 'workspace' and k.reason = 'import') as workspace_by_import,
                      bool_or(k.audience_id = ${audienceId}) as audience,
                      bool_or(k.audience_id = ${audienceId} and k.reason in ('unsubscribe', 'import')) as audience_left
                 from suppressions k
                where k.workspace_id = ${workspaceId} and k.contact_id = c.id and k.resolved_at is null) s on true
          ${batch.tags ? sql`left join lateral (${tagsOf}) t on true` : sql``}`,
  )
}

const selectPlatform = statement('select-platform-suppressed-addresses', { normalized_email: column.text() })
const selectHashed = statement('select-kinds-of-hashed-addresses', {
  has_erased: column.boolean(),
  has_platform: column.boolean(),
})
const selectErased = statement('select-erased-addresses', { address_hmac: column.bytea() })
const selectPlatformHashes = statement('select-platform-suppressed-hashes', { address_hmac: column.bytea() })

const platformSuppressed = (em: Em, emails: string) =>
  selectPlatform.rows(
    em,
    prepared(sql`select distinct normalized_email from platform_suppressions
         where resolved_at is null and normalized_email = any(${unplanned(emails, 'text[]')})`),
  )

/** Whether any hash of an address is stored, so that most imports need not hash every address. */
const hashedKinds = async (em: Em, workspaceId: string) => {
  const found = await selectHashed.row(
    em,
    prepared(sql`select exists (select from erasures where workspace_id = ${workspaceId} and address_hmac is not null) as has_erased,
               exists (select from platform_suppressions where address_hmac is not null and resolved_at is null) as has_platform`),
  )
  return found!
}

/** Rows by the hashes that their address may have. */
const rowsByHash = ({ keys }: Where, scope: string | null, batch: ImportBatch, rows: readonly number[]) =>
  new Map(
    rows.flatMap((row) =>
      possibleHashes(keys, scope, batch.normalizedEmails[row]!).map((hash) => [hash.toString('hex'), row] as const),
    ),
  )

const buffersOf = (byHash: ReadonlyMap<string, number>) => [...byHash.keys()].map((hex) => Buffer.from(hex, 'hex'))

/** Those of these rows whose address the workspace erased, and those whose erased address is suppressed on the platform. */
async function hashedRows(em: Em, where: Where, batch: ImportBatch, rows: readonly number[]) {
  const { workspaceId } = where
  const kinds = rows.length === 0 ? undefined : await hashedKinds(em, workspaceId)
  const ofWorkspace = kinds?.has_erased ? rowsByHash(where, workspaceId, batch, rows) : new Map<string, number>()
  const ofPlatform = kinds?.has_platform ? rowsByHash(where, null, batch, rows) : new Map<string, number>()
  const found = async (byHash: ReadonlyMap<string, number>, read: Promise<{ address_hmac: Buffer }[]>) =>
    (await read).map((one) => byHash.get(one.address_hmac.toString('hex'))!)
  const erased =
    ofWorkspace.size === 0
      ? []
      : await found(
          ofWorkspace,
          selectErased.rows(
            em,
            prepared(sql`select address_hmac from erasures
                 where workspace_id = ${workspaceId} and address_hmac = any(${unplanned(buffersOf(ofWorkspace), 'bytea[]')})`),
          ),
        )
  const suppressed =
    ofPlatform.size === 0
      ? []
      : await found(
          ofPlatform,
          selectPlatformHashes.rows(
            em,
            prepared(sql`select address_hmac from platform_suppressions
                 where resolved_at is null and address_hmac = any(${unplanned(buffersOf(ofPlatform), 'bytea[]')})`),
          ),
        )
  return { erased: new Set(erased), suppressed: new Set(suppressed) }
}

/**
 * The state of the addresses of these rows, for a decision; without the rows of unknown addresses. Rows in `created` belong to
 * contacts that this transaction has just created, and count as unknown. An apply must hold the locks of the contacts, so that nobody changes the answer.
 */
export async function readRowStates(
  em: Em,
  where: Where,
  batch: ImportBatch,
  { rows, created }: { rows: readonly number[]; created: ReadonlySet<number> },
): Promise<ReadonlyMap<number, RowState>> {
  const asked = created.size === 0 ? rows : rows.filter((row) => !created.has(row))
  const emailsOf = (some: readonly number[]) => textsOf(some.map((row) => batch.normalizedEmails[row]!))
  const emails = emailsOf(rows)
  const askedEmails = asked.length === rows.length ? emails : emailsOf(asked)
  const [found, platform] = await Promise.all([
    asked.length === 0 ? [] : contactStates(em, where, batch, { rows: asked, emails: askedEmails }),
    platformSuppressed(em, emails),
  ])
  const contacts = new Map(found.map((one) => [one.row, one]))
  const suppressed = new Set(platform.map((one) => one.normalized_email))
  const hashed = await hashedRows(
    em,
    where,
    batch,
    rows.filter((row) => !contacts.has(row)),
  )
  const states = new Map<number, RowState>()
  for (const row of rows) {
    const contact = contacts.get(row)
    const isPlatformSuppressed = suppressed.has(batch.normalizedEmails[row]!) || hashed.suppressed.has(row)
    const isErased = hashed.erased.has(row)
    if (contact) states.set(row, stateOf(contact, isPlatformSuppressed))
    else if (isPlatformSuppressed || isErased) states.set(row, { ...unknownAddress, isPlatformSuppressed, isErased })
  }
  return states
}

const stateOf = (contact: RowOf<typeof stateColumns>, isPlatformSuppressed: boolean): RowState => ({
  contactId: contact.contact_id,
  isErased: false,
  isPlatformSuppressed,
  isWorkspaceSuppressed: contact.is_workspace_suppressed,
  isAudienceSuppressed: contact.is_audience_suppressed,
  isSuppressedByImport: contact.is_suppressed_by_import,
  isWithdrawn: contact.is_withdrawn,
  isWithdrawalInForce: contact.is_withdrawal_in_force,
  isUnverifiedLegacy: contact.is_unverified_legacy,
  isUnderReview: contact.is_under_review,
  isMember: contact.is_member,
  wasErased: contact.was_erased,
  tagIds: contact.tag_ids,
  lastTagPosition: contact.last_tag_position,
  hasRoomForCustomFields: contact.has_room_for_custom_fields,
})
