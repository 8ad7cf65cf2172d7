import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishFrom } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import { keepErasedSuppressed } from '../erasure/keep-erased-suppressed.ts'
import { earlierClassifications } from './earlier-classifications.ts'
import { upsertContacts, type ContactWrite, type ContactWritten, type Landed } from './upsert-contacts.ts'
import { replaceTags } from '../tags/contact-tag.entity.ts'
import { holdTags } from '../tags/tag.entity.ts'
import { workspaceBatch, type WorkspaceBatch } from '../workspaces/workspace-batch.ts'
import { isLifted } from './legacy-consent.ts'
import type { KeyRing } from '../values/key-ring.ts'

const sourceTaken = () =>
  new Fault(
    'conflict',
    'source_identifier',
    'This source and source_identifier already name another contact. Send its address, or another identifier.',
  )

/** All custom fields of a contact, as JSON: a contact has to fit into every answer that carries some. */
export const customFieldsCharsMax = 65_536

const refuseTooMuch = (write: ContactWrite, { custom_fields }: Landed) => {
  const isAdding = Object.keys(write.custom.set).length > 0
  if (!isAdding || JSON.stringify(custom_fields).length <= customFieldsCharsMax) return
  throw new Fault(
    'invalid_argument',
    'custom_fields',
    `custom_fields: with these the contact would have more than ${customFieldsCharsMax} characters of them. Shorten or clear some.`,
  )
}

/** Who had doubtful old consent and counts as good from now on is on the audit log, with what was doubtful. */
function auditLifted(
  em: Em,
  workspaceId: string,
  writes: readonly ContactWrite[],
  { landed, earlier }: { landed: readonly Landed[]; earlier: Awaited<ReturnType<typeof earlierClassifications>> },
): Promise<void> {
  const before = (one: Landed) => earlier.get(one.normalized_email) ?? null
  const lifted = landed.filter((one) => isLifted(before(one), one.legacy_consent_classification))
  return publishFrom(
    em,
    AuditRecordedSchema,
    lifted.map((one) => {
      const { actor, correlation_id: correlationId, trace } = writes[one.n]!
      const detail = { earlier_classification: before(one), classification: one.legacy_consent_classification }
      const init = { action: 'legacy_classification_lifted', subjectType: 'contact', subjectId: one.id, actor, detail }
      return { origin: { workspaceId, correlationId, trace }, init }
    }),
  )
}

/** Gives contacts the tags of their writes, and the answers as well. A write that does not name tags sets those of a new contact only. */
async function writeTags(
  em: Em,
  workspaceId: string,
  {
    writes,
    landed,
    tagIds,
  }: { writes: readonly ContactWrite[]; landed: readonly Landed[]; tagIds: ReadonlyMap<string, string> },
): Promise<void> {
  const wanted = []
  for (const one of landed) {
    const { named, tags } = writes[one.n]!
    const isWritten = one.created ? tags.length > 0 : named.includes('tags')
    if (!isWritten) continue
    one.tags = [...tags]
    wanted.push({ contactId: one.id, tagIds: tags.map((name) => tagIds.get(name)!) })
  }
  await replaceTags(em, workspaceId, wanted)
}

/** Writes all or throws: Fault `conflict` when a source identity already names another contact, `invalid_argument` when one grows too large. Answers in order. */
async function writeAll(
  em: Em,
  { workspaceId, erasureHashKeys }: { workspaceId: string; erasureHashKeys: KeyRing },
  writes: readonly ContactWrite[],
): Promise<ContactWritten[]> {
  const written: ContactWritten[] = []
  // In one order everywhere, so that batches of two replicas do not wait for each other crosswise.
  const sorted = writes
    .map((write, n) => ({ ...write, n }))
    .sort((one, other) => (one.normalized_email < other.normalized_email ? -1 : 1))
  const tagIds = await holdTags(em, workspaceId, [...new Set(writes.flatMap((write) => write.tags))])
  const earlier = await earlierClassifications(em, workspaceId, sorted)
  const landed = await upsertContacts(em, workspaceId, sorted)
  await writeTags(em, workspaceId, { writes, landed, tagIds })
  for (const one of landed) {
    if (one.names_another) throw sourceTaken()
    refuseTooMuch(writes[one.n]!, one)
    written[one.n] = one
  }
  await auditLifted(em, workspaceId, writes, { landed, earlier })
  const made = landed.filter(({ created }) => created)
  await keepErasedSuppressed(
    em,
    { workspaceId, keys: erasureHashKeys },
    made.map((one) => ({ id: one.id, normalizedEmail: one.normalized_email })),
  )
  return written
}

/** Collects concurrent upserts; each caller gets its own answer. */
export type ContactWriter = WorkspaceBatch<ContactWrite, ContactWritten>

export const openContactWriter = ({ erasureHashKeys }: { erasureHashKeys: KeyRing }): ContactWriter =>
  workspaceBatch((em, workspaceId, writes) => writeAll(em, { workspaceId, erasureHashKeys }, writes), {
    notTwice: (write) => write.normalized_email,
  })
