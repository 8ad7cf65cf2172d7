import type { JsonObject } from '@bufbuild/protobuf'
import type { Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { findContentState } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/free-text.ts'
import { isUuid, parseUuid } from '@lettergate/values/uuid'
import { parseTagFilter, type TagFilter } from './tag-filter.ts'

/** The fields of a new draft version. */
export interface DraftInput {
  name: string
  audienceIds: string[]
  tagFilter: TagFilter | null
  senderIdentityId: string
  contentVersionId: string
  notes: string | null
  /** the request field that named the audiences */
  audienceField: 'audience_id' | 'audience_ids'
}

const audiencesMax = 100

/** Parses the fields of a draft version. Fault `invalid_argument` names the field. Whether the ids exist is checked later. */
export function parseDraft(given: {
  name: string
  audienceId?: string
  audienceIds?: string[]
  tagFilter?: JsonObject | undefined
  senderIdentityId: string
  contentVersionId: string
  notes?: string | undefined
}): DraftInput {
  const audienceField = given.audienceIds ? 'audience_ids' : 'audience_id'
  const audienceIds = [...new Set((given.audienceIds ?? [given.audienceId ?? '']).map((id) => parseUuid(id) ?? id))]
  const input: DraftInput = {
    name: requiredText('name', given.name, charsMax.name),
    audienceIds,
    tagFilter: parseTagFilter(given.tagFilter),
    senderIdentityId: parseUuid(given.senderIdentityId) ?? given.senderIdentityId,
    contentVersionId: parseUuid(given.contentVersionId) ?? given.contentVersionId,
    notes: optionalText('notes', given.notes, charsMax.other),
    audienceField,
  }
  if (audienceIds.length === 0 || audienceIds.length > audiencesMax)
    throw new Fault('invalid_argument', audienceField, `${audienceField} must name 1 to ${audiencesMax} audiences.`)
  if (!audienceIds.every(isUuid)) throw unknownReference(audienceField)
  if (!isUuid(input.senderIdentityId)) throw unknownReference('sender_identity_id')
  if (!isUuid(input.contentVersionId)) throw unknownReference('content_version_id')
  return input
}

/**
 * Checks that the sender and the audiences exist. Fault `invalid_argument` names the field of an unknown id;
 * `failed_precondition` for an archived audience.
 */
export async function requireSenderAndAudiences(ctx: Ctx, input: DraftInput): Promise<void> {
  await ctx.sending
    .getSenderReadiness(ctx, { senderIdentityId: input.senderIdentityId })
    .catch((error: unknown): never => {
      throw error instanceof Fault && error.code === 'not_found' ? unknownReference('sender_identity_id') : error
    })
  const { audiences } = await ctx.contacts.describeAudiences(ctx, { audienceIds: input.audienceIds })
  const known = new Map(audiences.map((audience) => [audience.id, audience]))
  const unknown = input.audienceIds.filter((id) => !known.has(id))
  if (unknown.length > 0) throw unknownReference(input.audienceField, unknown)
  const archived = input.audienceIds.filter((id) => known.get(id)?.isArchived)
  if (archived.length > 0)
    throw new Fault(
      'failed_precondition',
      'audience_archived',
      input.audienceIds.length === 1
        ? 'The audience is archived. Choose another one.'
        : `Of the audiences these are archived: ${archived.join(', ')}. Choose others.`,
    )
}

/** Checks that the content exists, is not empty and is not that of a confirmation email. */
export async function requireContent(em: Em, workspaceId: string, id: string): Promise<void> {
  const content = await findContentState(em, workspaceId, id)
  if (content === undefined) throw unknownReference('content_version_id')
  if (!content.valid) {
    throw new Fault(
      'failed_precondition',
      'content_empty',
      'Nothing was left of this content version when it was sanitised. Append another version.',
    )
  }
  if (content.isForConfirmations) {
    throw new Fault(
      'failed_precondition',
      'content_for_confirmations',
      'This content version links to {{ confirmation_url }}, which only confirmation emails of a subscription source have. Append a version without it.',
    )
  }
}

/** `which` lists the unknown ids of a list field. */
function unknownReference(field: string, which: readonly string[] = []): Fault {
  const message =
    field === 'audience_ids' && which.length > 0
      ? `${field} contains ids that do not exist in this workspace: ${which.join(', ')}.`
      : `${field} names nothing in this workspace.`
  return new Fault('invalid_argument', field, message)
}
