import type {
  GetEmailTemplateRequest,
  GetEmailTemplateResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { column, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { emailTemplateReply, requireEmailTemplate } from './email-template.entity.ts'

// The folder of content imports this one, so the columns of its table are declared here.
const selectVersions = statement('select-content-versions-of-template', {
  id: column.uuid(),
  version: column.integer(),
  subject: column.text(),
  valid: column.boolean(),
  unsubscribe_present: column.boolean(),
  review_warnings: column.json<string[]>(),
  created_by: column.text(),
  created_at: column.timestamptz(),
})

/** Returns one template with its content versions without their texts, the latest first, one page at a time. */
export async function getEmailTemplate(
  ctx: Ctx,
  req: GetEmailTemplateRequest,
): Promise<Reply<typeof GetEmailTemplateResponseSchema>> {
  const { workspaceId } = ctx
  const limit = parseLimit(req.limit)
  const after = parseCursor('content-versions', req.cursor)
  return ctx.tx(
    async (em) => {
      const template = await requireEmailTemplate(em, workspaceId, req.templateId)
      const found = await selectVersions.rows(
        em,
        sql`select id, version, subject, (validation->>'valid')::boolean as valid,
                   (validation->>'unsubscribePresent')::boolean as unsubscribe_present,
                   validation->'reviewWarnings' as review_warnings, created_by, created_at
              from content_versions
             where workspace_id = ${workspaceId} and template_id = ${template.id}
               and (${after}::uuid is null or version < (select version from content_versions
                                                          where workspace_id = ${workspaceId} and template_id = ${template.id} and id = ${after}::uuid))
             order by version desc limit ${limit + 1}`,
      )
      const { page, nextCursor } = pageOf('content-versions', found, limit)
      return {
        emailTemplate: emailTemplateReply(template),
        contentVersions: page.map((one) => ({
          id: one.id,
          version: one.version,
          subject: one.subject,
          valid: one.valid,
          unsubscribePresent: one.unsubscribe_present,
          reviewWarnings: one.review_warnings,
          createdBy: one.created_by,
          createdAt: moment(one.created_at),
        })),
        nextCursor,
      }
    },
    { isSnapshot: true },
  )
}
