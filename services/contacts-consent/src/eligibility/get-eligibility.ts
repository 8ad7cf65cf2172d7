import type { GetEligibilityRequest, GetEligibilityResponseSchema } from '@lettergate/contracts/contacts/v1/contacts'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { notFound, pathId } from '../values/ids.ts'

/** Whether this contact may be mailed for this audience now, with all reasons against it. Changes nothing. */
export async function getEligibility(
  ctx: Ctx,
  req: GetEligibilityRequest,
): Promise<Reply<typeof GetEligibilityResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)
  const audienceId = pathId('audience', req.audienceId)
  const verdict = await ctx.verdictBatch.add({
    workspaceId,
    tx: (work) => ctx.tx(work),
    item: { contactId, audienceId },
  })
  if (!verdict.has_contact) throw notFound('contact')
  if (!verdict.has_audience) throw notFound('audience')
  ctx.metrics.decided([verdict.reasons])
  return {
    eligibility: {
      eligible: verdict.reasons.length === 0,
      reasons: verdict.reasons,
      contactId,
      audienceId,
      workspaceId,
      evaluatedAt: moment(verdict.evaluated_at),
    },
  }
}
