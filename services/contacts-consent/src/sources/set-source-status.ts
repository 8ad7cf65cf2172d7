import type {
  SetSourceStatusRequest,
  SetSourceStatusResponseSchema,
} from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { lockSource, setStatus, sourceMessage } from './subscription-source.entity.ts'
import { notFound } from '../values/ids.ts'
import { sourceStatuses, type SourceStatus } from './source-admission.ts'
import { auditSource } from './create-source.ts'

function parseStatus(given: string): SourceStatus {
  const status = sourceStatuses.find((one) => one === given)
  if (status === undefined) {
    throw new Fault('invalid_argument', 'status', `status must be one of ${sourceStatuses.join(', ')}.`)
  }
  return status
}

/** Suspends, revokes or reactivates a source. Only an active source is admitted. Any change is allowed. */
export async function setSourceStatus(
  ctx: Ctx,
  req: SetSourceStatusRequest,
): Promise<Reply<typeof SetSourceStatusResponseSchema>> {
  const { workspaceId } = ctx
  const status = parseStatus(req.status)
  const source = await ctx.tx(async (em) => {
    const found = await lockSource(em, workspaceId, req.sourceSlug)
    if (!found) throw notFound('subscription source')
    if (found.status !== status) {
      await setStatus(em, workspaceId, found.id, status)
      await auditSource(em, found, {
        action: 'subscription_source_status_set',
        actor: ctx.caller.actor,
        detail: { from: found.status, to: status },
      })
    }
    return { ...found, status }
  })
  return { source: sourceMessage(source) }
}
