import { sha256Of } from '@lettergate/canonical-json'
import type {
  ReconstructEmailTemplateRequest,
  ReconstructEmailTemplateResponseSchema,
} from '@lettergate/contracts/campaigns/v1/reconstruction'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { column, kyselyOf, newId, sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { parseSourceProvenance, type SourceProvenance } from '@lettergate/values/source-provenance'
import { optionalText, requiredText } from '@lettergate/values/text'
import { ContentVersion } from '../content/content-version.entity.ts'
import { authoredContent } from '../content/create-content-version.ts'
import type { ContentValidation } from '../content/validate.ts'
import type { Ctx } from '../ctx.ts'
import { EmailTemplate, nextContentVersion, selectEmailTemplates } from '../templates/email-template.entity.ts'
import { charsMax, requiredSlug } from '../values/free-text.ts'
import { requireAllowed } from './require-allowed.ts'

const selectLatest = statement('select-latest-reconstructed-version', {
  id: column.uuid(),
  version: column.integer(),
  validation: column.json<ContentValidation>(),
})

/**
 * Stores an email of another system as a template with one sanitised version, which carries the provenance. A repeat changes
 * nothing; a changed source appends a version. Fault `conflict` when the slug belongs to another template, and
 * `failed_precondition` in an environment that could send.
 */
export async function reconstructEmailTemplate(
  ctx: Ctx,
  req: ReconstructEmailTemplateRequest,
): Promise<Reply<typeof ReconstructEmailTemplateResponseSchema>> {
  await requireAllowed(ctx)
  const { workspaceId, caller } = ctx
  const provenance = parseSourceProvenance(req.sourceProvenance, 'email')
  const made = {
    name: requiredText('name', req.name, charsMax.name),
    slug: requiredSlug(req.slug),
    description: optionalText('description', req.description, charsMax.other),
  }
  const prepared = await ctx.contentThreads.prepare(authoredContent(req), ctx)
  const validation: ContentValidation = { ...prepared.validation, sourceProvenance: provenance }

  return ctx.tx(async (em) => {
    const { templateId, isNew } = await lockOrInsert(em, { workspaceId, by: caller.actor, ...made })
    if (!isNew) {
      const latest = await latestOf(em, { workspaceId, templateId, provenance })
      if (!latest) throw slugTaken(made.slug)
      if (sourceKey(latest.validation.sourceProvenance) === sourceKey(provenance))
        return reply(latest, { templateId, outcome: 'unchanged' })
    }
    const stored = { id: newId(), version: await nextContentVersion(em, workspaceId, templateId), validation }
    await em.insert(ContentVersion, {
      workspaceId,
      templateId,
      ...stored,
      ...prepared.content,
      createdBy: caller.actor,
    })
    await publish(em, AuditRecordedSchema, {
      action: 'email_template_reconstructed',
      subjectType: 'email_template',
      subjectId: templateId,
      actor: caller.actor,
      detail: { slug: made.slug, version: stored.version, source_id: provenance.source_id },
    })
    return reply(stored, { templateId, outcome: isNew ? 'created' : 'appended' })
  })
}

const reply = (
  { id, version, validation }: { id: string; version: number; validation: ContentValidation },
  { templateId, outcome }: { templateId: string; outcome: string },
): Reply<typeof ReconstructEmailTemplateResponseSchema> => ({
  templateId,
  contentVersionId: id,
  version,
  outcome,
  validation,
})

/** The template with this slug, locked until the commit, so that two programs do not append the same version. */
async function lockOrInsert(
  em: Em,
  {
    workspaceId,
    slug,
    by,
    ...made
  }: { workspaceId: string; slug: string; by: string; name: string; description: string | null },
): Promise<{ templateId: string; isNew: boolean }> {
  const inserted = await kyselyOf(em, EmailTemplate)
    .insertInto('email_templates')
    .values({ workspace_id: workspaceId, id: newId(), slug, created_by: by, ...made })
    .onConflict((conflict) => conflict.constraint('email_templates_slug').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return { templateId: inserted.id, isNew: true }
  const { id } = await selectEmailTemplates(em, workspaceId)
    .where('slug', '=', slug)
    .forUpdate()
    .executeTakeFirstOrThrow()
  return { templateId: id, isNew: false }
}

/** The latest version that came from the same object of the same system. Versions of people in between do not matter. */
const latestOf = (em: Em, of: { workspaceId: string; templateId: string; provenance: SourceProvenance }) =>
  selectLatest.row(
    em,
    sql`select id, version, validation from content_versions
         where workspace_id = ${of.workspaceId} and template_id = ${of.templateId}
           and validation->'sourceProvenance'->>'source_system' = ${of.provenance.source_system}
           and validation->'sourceProvenance'->>'source_id' = ${of.provenance.source_id}
         order by version desc limit 1`,
  )

/** What a version was made from. A new manifest around the same file is the same source. */
const sourceKey = (provenance: Partial<SourceProvenance> | undefined): string =>
  sha256Of([provenance?.source_checksum ?? null, provenance?.transformation ?? null])

const slugTaken = (slug: string) =>
  new Fault(
    'conflict',
    'slug',
    `The email template ${slug} exists already and does not come from this source. Give the email another slug in the manifest.`,
  )
