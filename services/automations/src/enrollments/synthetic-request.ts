import type { MessageInitShape } from '@bufbuild/protobuf'
import type { EnrollmentSchema } from '@lettergate/contracts/automations/v1/enrollments'
import type { AutomationContact } from '@lettergate/contracts/contacts/v1/automation_steps'
import { Fault } from '@lettergate/fault'
import { keyTaken, parseIdempotencyKey } from '@lettergate/values/idempotency-key'
import { requiredText } from '@lettergate/values/text'
import { parseUuid } from '@lettergate/values/uuid'
import { kyselyOf, type Em } from '@lettergate/database'
import { findVersion, type AutomationVersionRow } from '../automations/automation-version.entity.ts'
import { describeContacts } from '../contacts/describe-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { requireOpenGate } from '../gates/require-open-gate.ts'
import { requireEnrollmentReply } from './enrollment-reply.ts'
import { EnrollmentPosition } from './enrollment-position.entity.ts'
import { Enrollment, type EnrollmentRow } from './enrollment.entity.ts'

/** Who is enrolled in what, for which rehearsal, under which key. */
export interface SyntheticRequest {
  readonly automationId: string
  readonly versionId: string
  readonly contactId: string
  readonly syntheticContextId: string
  readonly idempotencyKey: string
  /** the beginning of the virtual clock; null for an enrollment that workers do */
  readonly startsAt: Date | null
}

type GivenRequest = Omit<SyntheticRequest, 'startsAt'>

const answerWithinMs = 2_000

/** Parses a request. Throws Fault `not_found` for ids of the path that no version can have. */
export function parseSyntheticRequest(req: GivenRequest, startsAt: Date | null): SyntheticRequest {
  const idempotencyKey = parseIdempotencyKey(req.idempotencyKey)
  const contactId = parseUuid(req.contactId)
  if (contactId === undefined) throw contactUnknown()
  const syntheticContextId = requiredText('synthetic_context_id', req.syntheticContextId)
  const [automationId, versionId] = [parseUuid(req.automationId), parseUuid(req.versionId)]
  if (automationId === undefined || versionId === undefined) throw versionMissing()
  return { automationId, versionId, contactId, syntheticContextId, idempotencyKey, startsAt }
}

interface Checked {
  /** the enrollment of an earlier request with this key */
  readonly earlier?: MessageInitShape<typeof EnrollmentSchema>
  readonly version: AutomationVersionRow
  readonly contact?: AutomationContact
}

/** Checks everything that may refuse a synthetic enrollment before it is stored. Without an earlier one there is a contact. */
export async function checkSyntheticRequest(ctx: Ctx, wanted: SyntheticRequest): Promise<Checked> {
  const { workspaceId } = ctx
  const { version, earlier } = await ctx.tx(async (em) => {
    const found = await requireVersion(em, workspaceId, wanted)
    const original = await findEarlier(em, workspaceId, wanted)
    return { version: found, earlier: original && (await requireEnrollmentReply(em, workspaceId, original.id)) }
  })
  if (!earlier) await requireOpenGate(ctx)
  if (!earlier && wanted.startsAt === null) await ctx.tx((em) => requireNotEnrolled(em, workspaceId, wanted))
  await requireSyntheticWorkspace(ctx)
  if (earlier) return { earlier, version }
  return { version, contact: await requireSyntheticContact(ctx, wanted) }
}

/**
 * Before what the workspace and the contact lack, because a conflict is answered first. A request with the same key may have enrolled
 * the contact meanwhile. Then this one answers its enrollment.
 */
async function requireNotEnrolled(em: Em, workspaceId: string, wanted: SyntheticRequest): Promise<void> {
  const position = await kyselyOf(em, EnrollmentPosition)
    .selectFrom('enrollment_positions')
    .select('enrollment_id')
    .where('workspace_id', '=', workspaceId)
    .where('automation_id', '=', wanted.automationId)
    .where('contact_id', '=', wanted.contactId)
    .executeTakeFirst()
  if (position && !(await findEarlier(em, workspaceId, wanted))) throw contactEnrolled()
}

/** The contact is in the automation. */
export const contactEnrolled = (): Fault =>
  new Fault(
    'conflict',
    'contact_enrolled',
    'The contact is in this automation already, with another enrollment. Nothing was changed.',
  )

/** Asks identity whether synthetic contacts may be enrolled here. Throws Fault `failed_precondition`. */
const requireSyntheticWorkspace = (ctx: Ctx): Promise<unknown> =>
  ctx.identity.requireSyntheticWorkspace(ctx, { workspaceId: ctx.workspaceId }, { timeoutMs: answerWithinMs })

/** Throws Fault `not_found` also for a version of another automation. */
async function requireVersion(
  em: Em,
  workspaceId: string,
  { automationId, versionId }: SyntheticRequest,
): Promise<AutomationVersionRow> {
  const version = await findVersion(em, { workspaceId, automationId }, { id: versionId })
  if (!version) throw versionMissing()
  return version
}

/** The enrollment that was created with this key. Throws Fault `conflict` if the key was used for another request. */
export async function findEarlier(
  em: Em,
  workspaceId: string,
  { idempotencyKey, ...wanted }: SyntheticRequest,
): Promise<EnrollmentRow | undefined> {
  const earlier = await kyselyOf(em, Enrollment)
    .selectFrom('enrollments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('idempotency_key', '=', idempotencyKey)
    .where('has_virtual_clock', '=', wanted.startsAt !== null)
    .executeTakeFirst()
  if (!earlier) return undefined
  const isSame =
    earlier.automation_id === wanted.automationId &&
    earlier.version_id === wanted.versionId &&
    earlier.contact_id === wanted.contactId &&
    earlier.synthetic_context_id === wanted.syntheticContextId &&
    (wanted.startsAt === null || new Date(earlier.enrolled_at).getTime() === wanted.startsAt.getTime())
  if (!isSame) throw keyTaken()
  return earlier
}

/**
 * Checks that the contact has an address under `.invalid` and is bound to this rehearsal. Throws Fault `invalid_argument` for an
 * unknown contact, and `failed_precondition` for any other one.
 */
async function requireSyntheticContact(
  ctx: Ctx,
  { contactId, syntheticContextId }: SyntheticRequest,
): Promise<AutomationContact> {
  const contact = (await describeContacts(ctx, [contactId])).contacts.get(contactId)
  if (!contact) throw contactUnknown()
  if (!contact.normalizedEmail.endsWith('.invalid'))
    throw contactNotSynthetic('The address of this contact does not end in .invalid, so it may belong to a person.')
  if (contact.syntheticContextId === undefined)
    throw contactNotSynthetic(
      'This contact is not bound to a rehearsal. Upsert it with source_metadata.synthetic_context_id.',
    )
  if (contact.syntheticContextId !== syntheticContextId)
    throw contactNotSynthetic('This contact is bound to another rehearsal than synthetic_context_id.')
  return contact
}

const contactNotSynthetic = (why: string) =>
  new Fault('failed_precondition', 'contact_not_synthetic', `${why} Nothing was changed.`)

const versionMissing = () =>
  new Fault('not_found', 'automation_version', 'There is no such version of this automation.')

const contactUnknown = () =>
  new Fault(
    'invalid_argument',
    'contact_id',
    'contact_id names nothing in this workspace. Send the id of an existing contact.',
  )
