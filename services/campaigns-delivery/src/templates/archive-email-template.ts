import type {
  ArchiveEmailTemplateRequest,
  ArchiveEmailTemplateResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { EmailTemplate, requireEmailTemplate } from './email-template.entity.ts'

/**
 * Archives or restores a template. A draft with archived content cannot be scheduled; runs that are already scheduled
 * continue. The slug and the versions are kept, and new versions may be added. Safe to repeat.
 */
export async function archiveEmailTemplate(
  ctx: Ctx,
  req: ArchiveEmailTemplateRequest,
): Promise<Reply<typeof ArchiveEmailTemplateResponseSchema>> {
  const { workspaceId } = ctx
  const id = req.templateId
  const archived = req.archived ?? true
  await ctx.tx(async (em) => {
    await requireEmailTemplate(em, workspaceId, id)
    const changed = await em.nativeUpdate(
      EmailTemplate,
      { workspaceId, id, archivedAt: archived ? null : { $ne: null } },
      { archivedAt: archived ? ctx.now() : null },
    )
    if (changed === 0) return
    await publish(em, AuditRecordedSchema, {
      action: archived ? 'email_template_archived' : 'email_template_restored',
      subjectType: 'email_template',
      subjectId: id,
      actor: ctx.caller.actor,
      detail: {},
    })
  })
  return { emailTemplate: { id, archived } }
}
