import type { ImportApproval, ImportPlan, ImportRows } from '@lettergate/contracts/contacts/v1/imports'
import { newId, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { withdrawConsent } from '../consent/withdraw-consent.ts'
import { Contact } from '../contacts/contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { restoreErasedAddresses } from '../suppressions/platform-suppression.entity.ts'
import { suppressContacts } from '../suppressions/suppress-contacts.ts'
import type { UnresolvedSuppression } from '../suppressions/suppression.entity.ts'
import { holdTags } from '../tags/tag.entity.ts'
import { possibleHashes } from '../values/address-hash.ts'
import { originEvidence, policyEvidence, rowEvidence } from './import-evidence.ts'
import { groupedOutcomes, type RowResult } from './import-outcomes.ts'
import { parseApproval, parsePlan, type Approval, type RowPlan } from './import-plan.ts'
import type { ImportBatch } from './import-rows.ts'
import { appendRows, findApplied, type Pass } from './import-row.entity.ts'
import { holdBatch } from './stopped-import.entity.ts'
import { importSource, recordImportConsents } from './record-import-consents.ts'
import { decider, distinctTags, missingTags, readBatch, rowsToDecide } from './row-batch.ts'
import { unknownAddress, type DecidedRow, type RowState } from './row-outcome.ts'
import { readRowStates } from './row-states.ts'
import { addTags, appendProvenance, fillExisting, holdOrCreateContacts } from './write-import-contacts.ts'

/** A decided row with the contact of its address, if there is one. `eventId` is the event that it appends to the consent record. */
interface AppliedRow extends DecidedRow {
  readonly row: number
  readonly state: RowState
  readonly contactId: string | null
  readonly eventId: string | null
}

/** A row that writes its contact. */
type EffectiveRow = AppliedRow & { readonly contactId: string }

const isRecorded = ({ outcome, reasons }: DecidedRow) =>
  outcome === 'consent_recorded' ||
  outcome === 'withdrawn' ||
  outcome === 'suppressed' ||
  (outcome === 'needs_review' && reasons.includes('review_required'))

/** Few enough that the locks of a batch are held for a short time. */
const appliedRowsMax = 2_000

const isRefusal = (status: string) => status === 'unsubscribed' || status === 'suppressed'

function requirePass(batch: ImportBatch, pass: Pass): void {
  const isRight = batch.statuses.every((status) => isRefusal(status) === (pass === 'suppressions'))
  if (!isRight) {
    throw new Fault(
      'invalid_argument',
      'rows',
      'rows: refusals are applied before all other rows, in calls of their own.',
    )
  }
}

interface Application {
  readonly ctx: Ctx
  readonly plan: RowPlan
  readonly approval: Approval
  readonly batch: ImportBatch
}

/** Applies withdrawals and suppressions, in sets. Answers the unresolved suppressions. */
async function applyRefusals(
  em: Em,
  { ctx, plan, approval, batch }: Application,
  rows: readonly EffectiveRow[],
): Promise<UnresolvedSuppression[]> {
  const { workspaceId } = ctx
  const context = { workspaceId, by: ctx.caller, now: ctx.now() }
  const shared = originEvidence(plan, approval)
  const refusalOf = ({ row, contactId, eventId }: EffectiveRow) => ({
    eventId: eventId!,
    contactId,
    reason: 'import' as const,
    source: importSource,
    evidence: rowEvidence(shared, batch.rowNumbers[row]!, batch.capturedAt?.[row] ?? null),
  })
  const withdrawn = rows.filter(({ outcome }) => outcome === 'withdrawn')
  const suppressed = rows.filter(({ outcome }) => outcome === 'suppressed')
  const left = withdrawn.map((one) => ({ ...refusalOf(one), audienceId: plan.audienceId }))
  const blocked = suppressed.map((one) => ({ ...refusalOf(one), scope: 'workspace' as const, audienceId: null }))
  return [
    ...(left.length === 0 ? [] : await withdrawConsent(em, context, left)),
    ...(blocked.length === 0 ? [] : await suppressContacts(em, context, blocked)),
  ]
}

/** A platform suppression of an erased address holds for a new contact with it again. */
async function restorePlatformSuppressions(em: Em, { ctx, batch }: Application, rows: readonly EffectiveRow[]) {
  const created = rows.filter(({ contact }) => contact === 'new')
  if (created.length === 0) return
  await restoreErasedAddresses(
    em,
    created.map(({ row, state }) => {
      const normalizedEmail = batch.normalizedEmails[row]!
      const hashes = state.isPlatformSuppressed ? possibleHashes(ctx.config.erasureHashKeys, null, normalizedEmail) : []
      return { normalizedEmail, hashes }
    }),
  )
}

async function applyConsents(em: Em, { ctx, plan, approval, batch }: Application, rows: readonly EffectiveRow[]) {
  const consenting = rows.filter(isRecorded)
  if (consenting.length === 0) return
  const sharedEvidence = { ...originEvidence(plan, approval), ...policyEvidence(plan) }
  await recordImportConsents(
    em,
    { workspaceId: ctx.workspaceId, plan, by: ctx.caller, sharedEvidence },
    consenting.map(({ row, contactId, eventId, contact, outcome }) => ({
      eventId: eventId!,
      contactId,
      isNewContact: contact === 'new',
      isForReview: outcome === 'needs_review',
      rowNumber: batch.rowNumbers[row]!,
      capturedAt: batch.capturedAt?.[row] ?? null,
    })),
  )
}

async function applyTags(
  em: Em,
  { ctx, batch }: Application,
  { rows, tagIds }: { rows: readonly EffectiveRow[]; tagIds: ReadonlyMap<string, string> },
): Promise<void> {
  const added = rows.flatMap(({ row, state, contactId, addsTags }) => {
    const tags = addsTags ? (batch.tags?.[row] ?? []) : []
    if (tags.length === 0) return []
    const known = new Set(state.tagIds)
    return tags
      .map((name) => tagIds.get(name)!)
      .filter((tagId) => !known.has(tagId))
      .map((tagId, index) => ({ contactId, tagId, position: state.lastTagPosition + index + 1 }))
  })
  await addTags(em, ctx.workspaceId, added)
}

/** The tags that these rows add, held. Tags are locked before contacts, so a tag that is missing is registered by a decision without locks. */
const holdAddedTags = (em: Em, application: Application, rows: readonly number[]): Promise<Map<string, string>> => {
  const { ctx, batch } = application
  return holdTags(em, ctx.workspaceId, distinctTags(batch, rows), async (missing, tagIds) => {
    const isMissing = new Set(missing)
    const asked = rows.filter((row) => batch.tags![row]!.some((name) => isMissing.has(name)))
    return missingTags(batch, await decideRows(em, application, { rows: asked, created: new Map(), tagIds }), tagIds)
  })
}

/** Decides the rows that are not in the ledger. If the contacts are locked, the decisions hold until the commit. */
async function decideRows(
  em: Em,
  { ctx, plan, batch }: Application,
  {
    rows,
    created,
    tagIds,
  }: { rows: readonly number[]; created: ReadonlyMap<number, string>; tagIds: ReadonlyMap<string, string> },
): Promise<AppliedRow[]> {
  const where = {
    workspaceId: ctx.workspaceId,
    audienceId: plan.audienceId,
    keys: ctx.config.erasureHashKeys,
  }
  const states = await readRowStates(em, where, batch, { rows, created: new Set(created.keys()) })
  const decide = decider(plan, batch, { states, tagIds })
  return rows.map((row) => {
    const state = states.get(row) ?? unknownAddress
    const decided = decide(row)
    const contactId = decided.contact === 'new' ? (created.get(row) ?? null) : state.contactId
    return { row, state, contactId, eventId: isRecorded(decided) ? newId() : null, ...decided }
  })
}

async function writeEffects(
  em: Em,
  application: Application,
  rows: readonly EffectiveRow[],
  { pass, tagIds }: { pass: Pass; tagIds: ReadonlyMap<string, string> },
): Promise<UnresolvedSuppression[]> {
  const { ctx, plan, approval, batch } = application
  const { workspaceId, caller } = ctx
  const written = rows.map(({ row, contactId, contact, addsDetails, addsCustomFields }) => ({
    row,
    contactId,
    isNew: contact === 'new',
    addsDetails,
    addsCustomFields,
  }))
  await fillExisting(em, workspaceId, batch, written)
  const metadata = { import_id: plan.importId, source_label: approval.sourceLabel, file_sha256: approval.fileSha256 }
  await appendProvenance(em, workspaceId, { batch, metadata, actor: caller }, written)
  await applyTags(em, application, { rows, tagIds })
  if (pass === 'rows') {
    await applyConsents(em, application, rows)
    return []
  }
  await restorePlatformSuppressions(em, application, rows)
  return applyRefusals(em, application, rows)
}

/** Applies the rows that are not in the ledger, in one transaction. Answers the results of all rows. */
async function applyAll(em: Em, ctx: Ctx, pass: Pass, { plan, approval, rows: given }: ParsedRequest) {
  const { workspaceId } = ctx
  const apply = { importId: plan.importId, applyNumber: approval.applyNumber }
  if (!(await holdBatch(em, workspaceId, { importId: plan.importId, epoch: approval.epoch }))) throw importStopped()
  const batch = await readBatch(em, ctx, plan, { rows: given, rowsMax: appliedRowsMax })
  requirePass(batch, pass)
  const application: Application = { ctx, plan, approval, batch }
  const { rows, refused } = rowsToDecide(plan, batch)
  // The same lock order as in all writers: audience, tags, contacts.
  const tagIds = await holdAddedTags(em, application, rows)
  const created = await holdOrCreateContacts(em, workspaceId, batch, rows)
  const ledger = { ...apply, pass }
  // After the locks: a concurrent copy of this batch has committed, or waits for this one.
  const known = new Map(
    (await findApplied(em, workspaceId, ledger, batch.rowNumbers)).map((one) => [one.row_number, one]),
  )
  const isNew = (row: number) => !known.has(batch.rowNumbers[row]!)
  const decided = await decideRows(em, application, { rows: rows.filter(isNew), created, tagIds })
  if (missingTags(batch, decided, tagIds).length > 0) throw changedMeanwhile()

  const kept = new Set(decided.map(({ contactId }) => contactId))
  const undone = [...created.values()].filter((id) => !kept.has(id))
  if (undone.length > 0) await em.nativeDelete(Contact, { workspaceId, id: { $in: undone } })

  const effective = decided.filter((one): one is EffectiveRow => one.contact !== null)
  const unresolved = await writeEffects(em, application, effective, { pass, tagIds })
  const results: RowResult[] = [
    ...decided.map((one) => ({ ...one, rowNumber: batch.rowNumbers[one.row]! })),
    ...refused.filter(({ rowNumber }) => !known.has(rowNumber)),
  ]
  await appendRows(
    em,
    workspaceId,
    ledger,
    results.map((one) => ({ contactId: null, eventId: null, ...one })),
  )
  const earlier = Array.from(known.values(), (one) => ({
    rowNumber: one.row_number,
    outcome: one.outcome,
    contact: one.contact,
    reasons: one.reasons ?? [],
  }))
  return { results: [...results, ...earlier], unresolved, applied: decided }
}

/** Somebody else changed contacts between the decision about tags and the locks, so that other rows add tags. */
const changedMeanwhile = () =>
  new Fault('unavailable', 'rows_changed', 'Contacts of this batch changed at the same moment. Send the batch again.')

/** Unavailable, because imports finds out why when it prepares to send the batch again. */
const importStopped = () =>
  new Fault(
    'unavailable',
    'import_stopped',
    'This import ended, or was stopped and taken by another worker. Nothing more of this batch is applied.',
  )

interface ParsedRequest {
  readonly plan: RowPlan
  readonly approval: Approval
  readonly rows: ImportRows | undefined
}

/**
 * Applies one batch of rows in one transaction, each row once: a row that is in the ledger has no further effect and answers its
 * first result.
 */
export async function applyBatch(
  ctx: Ctx,
  pass: Pass,
  req: {
    plan?: ImportPlan | undefined
    approval?: ImportApproval | undefined
    rows?: ImportRows | undefined
  },
) {
  const parsed = { plan: parsePlan(req.plan), approval: parseApproval(req.approval), rows: req.rows }
  const { results, unresolved, applied } = await ctx.tx((em) => applyAll(em, ctx, pass, parsed))
  if (applied.some(isRecorded)) ctx.sealSoon()
  ctx.metrics.suppressed(unresolved.filter((one) => one.is_new))
  const withdrawn = applied.filter(({ outcome }) => outcome === 'withdrawn').length
  if (withdrawn > 0) ctx.metrics.unsubscribed('import', withdrawn)
  return { outcomes: groupedOutcomes(results) }
}
