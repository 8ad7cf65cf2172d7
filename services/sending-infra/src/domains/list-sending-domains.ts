import type {
  ListSendingDomainsRequest,
  ListSendingDomainsResponseSchema,
} from '@lettergate/contracts/sending/v1/console'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { listedDomains } from '../db/listed-domains.ts'

/** Every sending domain of the workspace with its current state. */
export async function listSendingDomains(
  ctx: Ctx,
  _req: ListSendingDomainsRequest,
): Promise<Reply<typeof ListSendingDomainsResponseSchema>> {
  const at = { now: ctx.now(), maxAgeHours: ctx.config.domainCheckMaxAgeHours }
  return { sendingDomains: await ctx.tx((em) => listedDomains(em, ctx.workspaceId, at)) }
}
