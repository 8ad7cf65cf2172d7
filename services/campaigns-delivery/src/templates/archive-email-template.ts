import type {
  ArchiveEmailTemplateRequest,
  ArchiveEmailTemplateResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { requireEmailTemplate } from './email-template.entity.ts'

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
    const changed = await execute(
      em,
      sql`update email_templates set archived_at = ${archived ? ctx.now() : null}::timestamptz
           where workspace_id = ${workspaceId} and id = ${id} and (archived_at is not null) <> ${archived}::boolean`,
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
