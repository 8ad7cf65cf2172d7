import type {
  AdmitSourceRequest,
  AdmitSourceResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { parsePermission, presentedOf, requireAdmission } from './require-admission.ts'

/** Whether a source would be admitted, for a request with an invalid body. Changes nothing. */
export async function admitSource(ctx: Ctx, req: AdmitSourceRequest): Promise<Reply<typeof AdmitSourceResponseSchema>> {
  const source = await requireAdmission(ctx, {
    slug: req.sourceSlug,
    presented: presentedOf(req.presented),
    permission: parsePermission(req.permission),
  })
  return { sourceId: source.id }
}
