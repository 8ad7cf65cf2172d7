import type { DescribePreferenceLinkRequest, PreferenceLinkSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { column, columns, leftJoined, nullable, sql, statement } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { Contact } from '../contacts/contact.entity.ts'
import { currentContactId } from '../erasure/erasure.entity.ts'
import { maskedEmail } from '../values/normalized-email.ts'
import { isAged, readPreferenceToken, signPreferenceToken } from './preference-token.ts'
import { subscriptionsOf } from './subscriptions-of.ts'

const selectLinkFacts = statement('select-preference-link-facts', {
  ...leftJoined(columns(Contact, 'email', 'locale')),
  audience_name: nullable(column.text()),
  workspace_name: nullable(column.text()),
  left_audience: column.boolean(),
  left_workspace: column.boolean(),
})

/**
 * The content of a signed link, and the other subscriptions of the person in the workspace. It changes nothing, so a mail scanner
 * may follow the link. Without a contact, the address is empty. The returned workspace token has the age of the link, so that
 * its use is shown and recorded as aged.
 */
export async function describePreferenceLink(
  ctx: Ctx,
  req: DescribePreferenceLinkRequest,
): Promise<Reply<typeof PreferenceLinkSchema>> {
  const { preferenceSigningKeys: keys, preferenceTokenMaxAgeSeconds } = ctx.config
  const claim = readPreferenceToken(keys, req.token)
  const { workspaceId, audienceId } = claim
  const { facts, subscriptions } = await ctx.inWorkspace(workspaceId).tx(async (em) => {
    const contactId = await currentContactId(em, workspaceId, claim.contactId)
    const facts = await selectLinkFacts.row(
      em,
      sql`with unsubscribes as (
            select scope, audience_id from suppressions
             where workspace_id = ${workspaceId} and contact_id = ${contactId} and resolved_at is null
               and reason = 'unsubscribe')
          select c.email, c.locale, a.name as audience_name, w.name as workspace_name,
                 exists (select 1 from unsubscribes where audience_id = ${audienceId}::uuid) as left_audience,
                 exists (select 1 from unsubscribes where scope = 'workspace') as left_workspace
            from (values (1)) as one
            left join contacts c on c.workspace_id = ${workspaceId} and c.id = ${contactId}
            left join audiences a on a.workspace_id = ${workspaceId} and a.id = ${audienceId}::uuid
            left join workspaces w on w.workspace_id = ${workspaceId}`,
    )
    return { facts, subscriptions: await subscriptionsOf(em, workspaceId, contactId) }
  })
  const isContact = facts?.email != null
  const hasLeft = facts?.left_workspace ?? false
  const canEndAll = audienceId !== null && isContact && !hasLeft
  return {
    maskedEmail: isContact ? maskedEmail(facts.email!) : '',
    scope: audienceId === null ? 'workspace' : 'audience',
    audienceName: facts?.audience_name ?? undefined,
    workspaceName: facts?.workspace_name ?? '',
    locale: facts?.locale ?? undefined,
    isAged: isAged(claim, ctx.now(), preferenceTokenMaxAgeSeconds),
    isUnsubscribed: hasLeft || (facts?.left_audience ?? false),
    workspaceToken: canEndAll ? signPreferenceToken(keys, { ...claim, audienceId: null }) : undefined,
    subscriptions: subscriptions.map((one) => ({ audienceId: one.audience_id, audienceName: one.audience_name })),
    audienceId: audienceId ?? undefined,
  }
}
