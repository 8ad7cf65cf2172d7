import type {
  CreateContentVersionRequest,
  CreateContentVersionResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { nextContentVersion } from '../templates/email-template.entity.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { charsMax } from '../values/free-text.ts'
import { ContentVersion } from './content-version.entity.ts'
import type { AuthoredContent } from './prepare.ts'

/**
 * Stores the sanitised copy of the content as the next immutable version of a template and returns what was changed.
 * Versions count up from 1 without gaps. Archived templates accept versions too. Fault `invalid_argument` for misplaced
 * tokens, `conflict` if the author expected another version than the latest one.
 */
export async function createContentVersion(
  ctx: Ctx,
  req: CreateContentVersionRequest,
): Promise<Reply<typeof CreateContentVersionResponseSchema>> {
  const { content, validation } = await ctx.contentThreads.prepare(authoredContent(req), ctx)
  const id = newId()

  const version = await ctx.tx(async (em) => {
    const next = await nextContentVersion(em, ctx.workspaceId, req.templateId)
    await requireExpectedLatest(em, ctx.workspaceId, { req, latest: next - 1 })
    await em.insert(ContentVersion, {
      workspaceId: ctx.workspaceId,
      id,
      templateId: req.templateId,
      version: next,
      ...content,
      validation,
      createdBy: ctx.caller.actor,
    })
    await publish(em, AuditRecordedSchema, {
      action: 'content_version_created',
      subjectType: 'content_version',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { template_id: req.templateId, version: next },
    })
    return next
  })
  return { contentVersion: { id, templateId: req.templateId, version, validation } }
}

/** Throws Fault `conflict`, which says who saved the latest version, if another version was expected. */
async function requireExpectedLatest(
  em: Em,
  workspaceId: string,
  { req: { templateId, expectedVersion: expected }, latest }: { req: CreateContentVersionRequest; latest: number },
): Promise<void> {
  if (expected === undefined || expected === latest) return
  const saved = await em.findOne(
    ContentVersion,
    { workspaceId, templateId, version: latest },
    { fields: ['createdBy', 'createdAt'] },
  )
  throw new Fault(
    'conflict',
    'template_changed',
    saved
      ? `Version ${latest} of this template was saved by ${saved.createdBy} at ${saved.createdAt.toISOString()}, and you began with ${expected === 0 ? 'no version' : `version ${expected}`}. Nothing was saved. Read the template again, or expect version ${latest} to follow it.`
      : `This template has no version yet, and you began with version ${expected}. Nothing was saved. Read the template again.`,
  )
}

const defaultsMax = 200

/** Checks the fields of content. Throws Fault `invalid_argument` that names the field. */
export function authoredContent(req: Omit<CreateContentVersionRequest, '$typeName' | 'templateId'>): AuthoredContent {
  const defaults = Object.entries(req.personalizationDefaults)
  if (defaults.length > defaultsMax) {
    throw new Fault(
      'invalid_argument',
      'personalization_defaults',
      `personalization_defaults may have at most ${defaultsMax} entries.`,
    )
  }
  for (const entry of defaults.flat()) optionalText('personalization_defaults', entry, charsMax.other)
  return {
    subject: requiredText('subject', req.subject, charsMax.subject),
    html: requiredText('html', req.html, charsMax.body),
    preheader: optionalText('preheader', req.preheader, charsMax.other),
    plainText: optionalText('plain_text', req.plainText, charsMax.body),
    personalizationDefaults: Object.fromEntries(defaults),
  }
}
