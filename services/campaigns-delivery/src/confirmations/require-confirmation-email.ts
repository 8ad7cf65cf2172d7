import type {
  RequireConfirmationEmailRequest,
  RequireConfirmationEmailResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { findContentState, findStoredContent } from '../content/content-version.entity.ts'
import { hasVisibleLink } from '../content/unsubscribe-link.ts'
import type { Ctx } from '../ctx.ts'
import { confirmationToken } from '../html/tokens.ts'
import { outlookReadings } from '../html/outlook-readings.ts'

/** Throws the Fault of the first reason why this sender and content cannot ask a subscriber for a confirmation. */
export async function requireConfirmationEmail(
  ctx: Ctx,
  { senderIdentityId, contentVersionId }: RequireConfirmationEmailRequest,
): Promise<Reply<typeof RequireConfirmationEmailResponseSchema>> {
  const { workspaceId } = ctx
  const [state, stored] = await Promise.all([
    ctx.tx((em) => findContentState(em, workspaceId, contentVersionId)),
    ctx.tx((em) => findStoredContent(em, workspaceId, contentVersionId)),
    requireSender(ctx, senderIdentityId),
  ])
  if (!state || !stored) throw unknownReference('content_version_id')
  if (!state.valid)
    throw new Fault(
      'failed_precondition',
      'content_empty',
      'Nothing was left of this content version when it was sanitised. Append another version.',
    )
  const readings = [stored.sanitizedHtml, ...outlookReadings(stored.sanitizedHtml)]
  if (!readings.every((html) => hasVisibleLink(html, confirmationToken)))
    throw new Fault(
      'failed_precondition',
      'confirmation_link_missing',
      'The HTML of this content version has no visible link to {{ confirmation_url }}. Append a version with <a href="{{ confirmation_url }}">.',
    )
  return {}
}

async function requireSender(ctx: Ctx, senderIdentityId: string): Promise<void> {
  try {
    await ctx.sending.getSenderReadiness(ctx, { senderIdentityId })
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') throw unknownReference('sender_identity_id')
    throw error
  }
}

const unknownReference = (field: string): Fault =>
  new Fault('invalid_argument', field, `${field} names nothing in this workspace.`)
