import type { DescribePreferenceLinkRequest, PreferenceLinkSchema } from '@lettergate/contracts/contacts/v1/contacts'
import { row, sql } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { maskedEmail } from '../domain/normalized-email.ts'
import { isAged, readPreferenceToken } from '../domain/preference-token.ts'

interface LinkFacts {
  email: string | null
  locale: string | null
  audience_name: string | null
  workspace_name: string | null
  is_unsubscribed: boolean
}

/** What a signed link is for. It changes nothing, so a mail scanner may follow it. A person who is no contact has no address here. */
export async function describePreferenceLink(
  ctx: Ctx,
  req: DescribePreferenceLinkRequest,
): Promise<Reply<typeof PreferenceLinkSchema>> {
  const claim = readPreferenceToken(ctx.config.preferenceSigningKeys, req.token)
  const { workspaceId, contactId, audienceId } = claim
  const facts = await ctx.inWorkspace(workspaceId).tx((em) =>
    row<LinkFacts>(
      em,
      sql`select c.email, c.locale, a.name as audience_name, w.name as workspace_name,
                 exists (select 1 from suppressions s
                          where s.workspace_id = ${workspaceId} and s.contact_id = ${contactId} and s.resolved_at is null
                            and s.reason = 'unsubscribe'
                            and (s.scope = 'workspace' or s.audience_id = ${audienceId}::uuid)) as is_unsubscribed
            from (values (1)) as one
            left join contacts c on c.workspace_id = ${workspaceId} and c.id = ${contactId}
            left join audiences a on a.workspace_id = ${workspaceId} and a.id = ${audienceId}::uuid
            left join workspaces w on w.workspace_id = ${workspaceId}`,
    ),
  )
  return {
    maskedEmail: facts?.email ? maskedEmail(facts.email) : '',
    scope: audienceId === null ? 'workspace' : 'audience',
    audienceName: facts?.audience_name ?? undefined,
    workspaceName: facts?.workspace_name ?? '',
    locale: facts?.locale ?? undefined,
    isAged: isAged(claim, ctx.now(), ctx.config.preferenceTokenMaxAgeSeconds),
    isUnsubscribed: facts?.is_unsubscribed ?? false,
  }
}
