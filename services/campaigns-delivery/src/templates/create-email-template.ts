import type {
  CreateEmailTemplateRequest,
  CreateEmailTemplateResponseSchema,
} from '@lettergate/contracts/campaigns/v1/campaigns'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { optionalText, requiredText } from '@lettergate/values/text'
import { charsMax, requiredSlug } from '../values/free-text.ts'
import { EmailTemplate } from './email-template.entity.ts'

/** Creates a template without content. Fault `conflict` when the slug is taken; archived templates keep their slugs. */
export async function createEmailTemplate(
  ctx: Ctx,
  req: CreateEmailTemplateRequest,
): Promise<Reply<typeof CreateEmailTemplateResponseSchema>> {
  const name = requiredText('name', req.name, charsMax.name)
  const slug = requiredSlug(req.slug)
  const description = optionalText('description', req.description, charsMax.other)
  const id = newId()

  await ctx.tx(async (em) => {
    const { numInsertedOrUpdatedRows: created } = await kyselyOf(em, EmailTemplate)
      .insertInto('email_templates')
      .values({ workspace_id: ctx.workspaceId, id, name, slug, description, created_by: ctx.caller.actor })
      .onConflict((conflict) => conflict.constraint('email_templates_slug').doNothing())
      .executeTakeFirstOrThrow()
    if (!created) {
      throw new Fault(
        'conflict',
        'slug',
        'An email template with this slug exists already, perhaps archived. Choose another slug.',
      )
    }
    await publish(em, AuditRecordedSchema, {
      action: 'email_template_created',
      subjectType: 'email_template',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: { slug },
    })
  })
  return { emailTemplate: { id, name, slug } }
}
