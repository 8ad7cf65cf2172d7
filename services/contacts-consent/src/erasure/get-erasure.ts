import type { GetErasureRequest, GetErasureResponseSchema } from '@lettergate/contracts/contacts/v1/erasures'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { findErasure } from './erasure.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { erasureReply } from './erasure-reply.ts'

/** One erasure with the rows that each service has deleted so far. */
export async function getErasure(ctx: Ctx, req: GetErasureRequest): Promise<Reply<typeof GetErasureResponseSchema>> {
  const { workspaceId } = ctx
  const erasureId = pathId('erasure', req.erasureId)
  return ctx.tx(async (em) => {
    const erasure = await findErasure(em, workspaceId, erasureId)
    if (!erasure) throw notFound('erasure')
    return { erasure: await erasureReply(em, workspaceId, erasure) }
  })
}
