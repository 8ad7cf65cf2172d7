import type {
  ListEmailTemplatesRequest,
  ListEmailTemplatesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import { rows, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { emailTemplateColumns, emailTemplateReply, type EmailTemplateRow } from './email-template.entity.ts'

/** Lists templates, including archived ones, newest first, one page at a time. */
export async function listEmailTemplates(
  ctx: Ctx,
  req: ListEmailTemplatesRequest,
): Promise<Reply<typeof ListEmailTemplatesResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('email-templates', req.cursor)
  const found = await ctx.tx((em) =>
    rows<EmailTemplateRow>(
      em,
      sql`select ${emailTemplateColumns} from email_templates
           where workspace_id = ${ctx.workspaceId} and (${after}::uuid is null or id < ${after}::uuid)
           order by id desc limit ${limit + 1}`,
    ),
  )
  const { page, nextCursor } = pageOf('email-templates', found, limit)
  return { emailTemplates: page.map(emailTemplateReply), nextCursor }
}
