import type { ListTagsRequest, ListTagsResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { countedTags } from './tag.entity.ts'

/** All tags of the catalogue by name, each with the number of its contacts. */
export async function listTags(ctx: Ctx, _req: ListTagsRequest): Promise<Reply<typeof ListTagsResponseSchema>> {
  return { tags: await ctx.tx((em) => countedTags(em, ctx.workspaceId)) }
}
