import type {
  ListEmailTemplatesRequest,
  ListEmailTemplatesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Ctx } from '../ctx.ts'
import { emailTemplateReply, selectEmailTemplates } from './email-template.entity.ts'

/** Lists templates, including archived ones, newest first, one page at a time. */
export async function listEmailTemplates(
  ctx: Ctx,
  req: ListEmailTemplatesRequest,
): Promise<Reply<typeof ListEmailTemplatesResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('email-templates', req.cursor)
  const found = await ctx.tx((em) =>
    selectEmailTemplates(em, ctx.workspaceId)
      .$if(after !== null, (select) => select.where('id', '<', after))
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute(),
  )
  const { page, nextCursor } = pageOf('email-templates', found, limit)
  return { emailTemplates: page.map(emailTemplateReply), nextCursor }
}
