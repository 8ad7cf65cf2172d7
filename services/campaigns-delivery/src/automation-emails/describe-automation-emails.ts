import type {
  DescribeAutomationEmailsRequest,
  DescribeAutomationEmailsResponseSchema,
} from '@lettergate/contracts/campaigns/v1/automation_emails'
import { kyselyOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import { ContentVersion } from '../content/content-version.entity.ts'
import type { Ctx } from '../ctx.ts'
import { confirmationToken } from '../html/tokens.ts'
import { EmailTemplate } from '../templates/email-template.entity.ts'

/** The named content versions and senders that this workspace has, and whether they can be sent. */
export async function describeAutomationEmails(
  ctx: Ctx,
  req: DescribeAutomationEmailsRequest,
): Promise<Reply<typeof DescribeAutomationEmailsResponseSchema>> {
  const [contents, senders] = await Promise.all([
    contentsOf(ctx, req.contentVersionIds.filter(isUuid)),
    Promise.all(req.senderIdentityIds.filter(isUuid).map((id) => senderOf(ctx, id))),
  ])
  return { contents, senders: senders.filter((sender) => sender !== undefined) }
}

async function contentsOf(ctx: Ctx, ids: string[]) {
  const found = await ctx.tx((em) =>
    kyselyOf(em, ContentVersion, EmailTemplate)
      .selectFrom('content_versions as v')
      .innerJoin('email_templates as t', (join) =>
        join.onRef('t.workspace_id', '=', 'v.workspace_id').onRef('t.id', '=', 'v.template_id'),
      )
      .select((eb) => [
        'v.id',
        'v.subject',
        't.archived_at',
        eb.ref('v.validation', '->').key('valid').as('valid'),
        eb.ref('v.validation', '->').key('unsubscribePresent').as('unsubscribePresent'),
        eb.ref('v.validation', '->').key('tokens').as('tokens'),
      ])
      .where('v.workspace_id', '=', ctx.workspaceId)
      .where('v.id', '=', (eb) => eb.fn.any(eb.val(ids)))
      .orderBy('v.id')
      .execute(),
  )
  return found.map(({ id, subject, archived_at: archivedAt, valid, unsubscribePresent, tokens }) => ({
    id,
    subject,
    isEmpty: !valid,
    hasUnsubscribeLink: unsubscribePresent,
    templateIsArchived: archivedAt !== null,
    isForConfirmations: tokens.includes(confirmationToken),
  }))
}

async function senderOf(ctx: Ctx, id: string) {
  try {
    const { displayName, isEnabled } = await ctx.sending.getSenderReadiness(ctx, { senderIdentityId: id })
    return { id, displayName, isEnabled }
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined
    throw error
  }
}
