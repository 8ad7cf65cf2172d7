import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import type { CurrentDraft } from '../drafts/current-draft.ts'
import { gateState, productionGate } from '../gates/gate-state.ts'
import { requireSchedulable } from './conditions.ts'

/** Asks all services concurrently. Throws the Fault of the first condition that does not hold or cannot be checked. */
export async function requireConditions(
  ctx: Ctx,
  draft: Pick<CurrentDraft, 'status' | 'audience_ids' | 'template_is_archived' | 'sender_identity_id'>,
  request: { scheduledFor: Date; at: Date },
): Promise<void> {
  const [gates, workspace, audiences, sender] = await Promise.all([
    ctx.identity.getGates(ctx, {}),
    ctx.identity.getWorkspaceFacts(ctx, { workspaceId: ctx.workspaceId }),
    ctx.contacts.describeAudiences(ctx, { audienceIds: draft.audience_ids }),
    ctx.sending.getSenderReadiness(ctx, { senderIdentityId: draft.sender_identity_id }).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'not_found') return undefined
      throw error
    }),
  ])
  requireSchedulable({
    scheduledFor: request.scheduledFor,
    now: request.at,
    campaignStatus: draft.status,
    audienceIds: draft.audience_ids,
    audiences: audiences.audiences,
    templateIsArchived: draft.template_is_archived,
    sender,
    production: gateState(gates, productionGate),
    workspace,
  })
}
