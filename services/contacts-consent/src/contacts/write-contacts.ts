import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishFrom } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { keepErasedSuppressed } from '../erasure/keep-erased-suppressed.ts'
import { earlierClassifications } from './earlier-classifications.ts'
import { upsertContacts, type ContactWrite, type ContactWritten, type UpsertResult } from './upsert-contacts.ts'
import { replaceTags } from '../tags/contact-tag.entity.ts'
import { holdTags } from '../tags/tag.entity.ts'
import { workspaceBatch, type WorkspaceBatch } from '../workspaces/workspace-batch.ts'
import { isDoubtResolved } from './legacy-consent.ts'
import type { KeyRing } from '../values/key-ring.ts'

const sourceConflict = () =>
  new Fault(
    'conflict',
    'source_identifier',
    'This source and source_identifier already name another contact. Send its address, or another identifier.',
  )

const contactExists = () =>
  new Fault(
    'conflict',
    'contact_exists',
    'A contact has this address already. Look it up, or leave out create_only to change it.',
  )

/** The size limit of all custom fields of a contact, as JSON, so that contacts fit into every answer. */
export const customFieldsCharsMax = 65_536

const requireFieldsFit = (write: ContactWrite, { custom_fields }: UpsertResult) => {
  const isAdding = Object.keys(write.custom.set).length > 0
  if (!isAdding || JSON.stringify(custom_fields).length <= customFieldsCharsMax) return
  throw new Fault(
    'invalid_argument',
    'custom_fields',
    `custom_fields: with these the contact would have more than ${customFieldsCharsMax} characters of them. Shorten or clear some.`,
  )
}

/** Audits each legacy contact whose consent was in doubt and no longer is, with the earlier classification. */
function auditResolvedDoubts(
  em: Em,
  workspaceId: string,
  writes: readonly ContactWrite[],
  {
    results,
    earlier,
  }: { results: readonly UpsertResult[]; earlier: Awaited<ReturnType<typeof earlierClassifications>> },
): Promise<void> {
  const before = (one: UpsertResult) => earlier.get(one.normalized_email) ?? null
  const resolved = results.filter((one) => isDoubtResolved(before(one), one.legacy_consent_classification))
  return publishFrom(
    em,
    AuditRecordedSchema,
    resolved.map((one) => {
      const { actor, correlation_id: correlationId, trace } = writes[one.n]!
      const detail = { earlier_classification: before(one), classification: one.legacy_consent_classification }
      const init = { action: 'legacy_classification_lifted', subjectType: 'contact', subjectId: one.id, actor, detail }
      return { origin: { workspaceId, correlationId, trace }, init }
    }),
  )
}

/** Writes the tags of contacts, and sets them in the results. A write that does not name tags sets them only for a new contact. */
async function writeTags(
  em: Em,
  workspaceId: string,
  {
    writes,
    results,
    tagIds,
  }: { writes: readonly ContactWrite[]; results: readonly UpsertResult[]; tagIds: ReadonlyMap<string, string> },
): Promise<void> {
  const wanted = []
  for (const one of results) {
    const { named, tags } = writes[one.n]!
    const isWritten = one.created ? tags.length > 0 : named.includes('tags')
    if (!isWritten) continue
    one.tags = [...tags]
    wanted.push({ contactId: one.id, tagIds: tags.map((name) => tagIds.get(name)!) })
  }
  await replaceTags(em, workspaceId, wanted)
}

/** Writes all or throws: Fault `conflict` if a source identity belongs to another contact or a contact exists that may only be created, `invalid_argument` if a contact grows too large. Answers in input order. */
async function writeAll(
  em: Em,
  { workspaceId, erasureHashKeys }: { workspaceId: string; erasureHashKeys: KeyRing },
  writes: readonly ContactWrite[],
): Promise<ContactWritten[]> {
  const written: ContactWritten[] = []
  // The same lock order everywhere, so that batches of two replicas do not deadlock.
  const sorted = writes
    .map((write, n) => ({ ...write, n }))
    .sort((one, other) => (one.normalized_email < other.normalized_email ? -1 : 1))
  const tagIds = await holdTags(em, workspaceId, [...new Set(writes.flatMap((write) => write.tags))])
  const earlier = await earlierClassifications(em, workspaceId, sorted)
  const results = await upsertContacts(em, workspaceId, sorted)
  await writeTags(em, workspaceId, { writes, results, tagIds })
  for (const one of results) {
    if (writes[one.n]!.create_only && !one.created) throw contactExists()
    if (one.names_another) throw sourceConflict()
    requireFieldsFit(writes[one.n]!, one)
    written[one.n] = one
  }
  await auditResolvedDoubts(em, workspaceId, writes, { results, earlier })
  const created = results.filter((one) => one.created)
  await keepErasedSuppressed(
    em,
    { workspaceId, keys: erasureHashKeys },
    created.map((one) => ({ id: one.id, normalizedEmail: one.normalized_email })),
  )
  return written
}

/** Batches concurrent upserts. Each caller gets its own answer. */
export type ContactWriter = WorkspaceBatch<ContactWrite, ContactWritten>

export const openContactWriter = ({ erasureHashKeys }: { erasureHashKeys: KeyRing }): ContactWriter =>
  workspaceBatch((em, workspaceId, writes) => writeAll(em, { workspaceId, erasureHashKeys }, writes), {
    uniqueKey: (write) => write.normalized_email,
  })
