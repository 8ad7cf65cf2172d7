import type {
  ListEmailTemplatesRequest,
  ListEmailTemplatesResponseSchema,
} from '@lettergate/contracts/campaigns/v1/templates'
import type { Reply } from '@lettergate/rpc'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { requiredText } from '@lettergate/values/text'
import type { Ctx } from '../ctx.ts'
import { charsMax } from '../values/free-text.ts'
import { emailTemplateReply, selectEmailTemplates } from './email-template.entity.ts'

/** Lists templates whose name contains the search, archived or not unless the request says which, newest first, one page at a time. */
export async function listEmailTemplates(
  ctx: Ctx,
  req: ListEmailTemplatesRequest,
): Promise<Reply<typeof ListEmailTemplatesResponseSchema>> {
  const limit = parseLimit(req.limit)
  const after = parseCursor('email-templates', req.cursor)
  const search = req.search === undefined ? null : requiredText('search', req.search.trim(), charsMax.other)
  const found = await ctx.tx((em) =>
    selectEmailTemplates(em, ctx.workspaceId)
      .$if(after !== null, (select) => select.where('id', '<', after))
      .$if(search !== null, (select) =>
        select.where((eb) =>
          eb(eb.fn<number>('strpos', [eb.fn('lower', ['name']), eb.fn('lower', [eb.val(search)])]), '>', 0),
        ),
      )
      .$if(req.archived !== undefined, (select) => select.where('archived_at', req.archived ? 'is not' : 'is', null))
      .orderBy('id', 'desc')
      .limit(limit + 1)
      .execute(),
  )
  const { page, nextCursor } = pageOf('email-templates', found, limit)
  return { emailTemplates: page.map(emailTemplateReply), nextCursor }
}
