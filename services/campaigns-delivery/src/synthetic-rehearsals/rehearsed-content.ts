import { kyselyOf, newId, type Em } from '@lettergate/database'
import { compileContent, type StoredContent } from '../content/compile.ts'
import { ContentVersion } from '../content/content-version.entity.ts'
import type { ContentValidation } from '../content/validate.ts'
import type { Ctx } from '../ctx.ts'
import { EmailTemplate } from '../templates/email-template.entity.ts'

/** For a workspace that has no content yet. */
const plainContent: StoredContent = {
  subject: 'Rehearsal for {{ first_name }}',
  preheader: null,
  sanitizedHtml: '<p>Hello {{ first_name }}</p><p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p>',
  plainText: 'Hello {{ first_name }}\nUnsubscribe: {{ unsubscribe_url }}',
  personalizationDefaults: {},
}

/** The newest content version of the workspace, so that the rehearsed messages are as large as real ones. */
export async function newestContent(ctx: Ctx): Promise<StoredContent> {
  const newest = await ctx.tx((em) =>
    kyselyOf(em, ContentVersion)
      .selectFrom('content_versions')
      .select([
        'subject',
        'preheader',
        'sanitized_html as sanitizedHtml',
        'plain_text as plainText',
        'personalization_defaults as personalizationDefaults',
      ])
      .where('workspace_id', '=', ctx.workspaceId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  )
  return newest ?? plainContent
}

/** The names of the values that the content contains. */
export function tokensOf(content: StoredContent): string[] {
  return [...new Set(compileContent(content).slots.map(({ token }) => token))]
}

/** The content was checked when it was stored. */
const noFindings: ContentValidation = {
  valid: true,
  links: 0,
  images: 0,
  tokens: [],
  missingDefaults: [],
  reviewWarnings: [],
  plainTextGenerated: false,
  unsubscribePresent: true,
  stripped: { tags: [], attributes: [], cssProperties: [], protocols: [] },
}

/** Stores the content for the rehearsed run. Answers the id of the version. */
export async function insertContent(em: Em, ctx: Ctx, content: StoredContent): Promise<string> {
  const { workspaceId, caller } = ctx
  const [templateId, id] = [newId(), newId()]
  await em.insert(EmailTemplate, {
    workspaceId,
    id: templateId,
    name: 'Synthetic rehearsal',
    slug: 'synthetic',
    description: null,
    archivedAt: null,
    createdBy: caller.actor,
  })
  await em.insert(ContentVersion, {
    workspaceId,
    id,
    templateId,
    version: 1,
    ...content,
    personalizationDefaults: { ...content.personalizationDefaults },
    validation: { ...noFindings, tokens: tokensOf(content) },
    createdBy: caller.actor,
  })
  return id
}
