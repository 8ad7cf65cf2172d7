import type {
  RequireConnectionUnusedRequest,
  RequireConnectionUnusedResponseSchema,
} from '@lettergate/contracts/campaigns/v1/uses'
import { column, columns, sql, statement } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { CampaignDraftVersion } from '../drafts/campaign-draft-version.entity.ts'
import { CampaignRun } from '../runs/campaign-run.entity.ts'
import { isUuid } from '@lettergate/values/uuid'

const selectUser = statement('select-campaign-of-connection', {
  ...columns(CampaignRun, 'campaign_id'),
  ...columns(CampaignDraftVersion, 'name'),
})
const selectHandOff = statement('select-hand-off-of-connection', { kind: column.text(), origin_id: column.uuid() })

const namesOfKinds: Readonly<Record<string, string>> = {
  automation: 'an email of automation',
  confirmation: 'confirmation email',
}

/**
 * Fault `failed_precondition` while the connection is in use: by a run that is not over, by a hand-off whose result the
 * provider will still be asked for, or by a test send, a confirmation email or an email of an automation without a result. The
 * Fault names the campaign or what else it is.
 */
export async function requireConnectionUnused(
  ctx: Ctx,
  { connectionId }: RequireConnectionUnusedRequest,
): Promise<Reply<typeof RequireConnectionUnusedResponseSchema>> {
  if (!isUuid(connectionId)) return {}
  const user = await ctx.tx((em) =>
    selectUser.row(
      em,
      sql`select r.campaign_id, d.name from campaign_runs r
            join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
            join campaign_draft_versions d on d.workspace_id = r.workspace_id and d.campaign_id = r.campaign_id and d.version = s.draft_version
           where r.workspace_id = ${ctx.workspaceId}
             and exists (select from hand_offs h where h.workspace_id = r.workspace_id and h.origin_id = r.id and h.connection_id = ${connectionId}::uuid
                            and (h.state = 'claimed' or h.next_lookup_at is not null or r.state in ('sending', 'paused')))
           order by r.id limit 1`,
    ),
  )
  if (user) {
    throw new Fault(
      'failed_precondition',
      'connection_in_use',
      `The campaign ${JSON.stringify(user.name)} (${user.campaign_id}) sends through this connection. Wait until its run is over, or cancel it first.`,
    )
  }
  const handOff = await ctx.tx((em) =>
    selectHandOff.row(
      em,
      sql`select kind, origin_id from hand_offs where workspace_id = ${ctx.workspaceId} and kind in ('test_send', 'automation', 'confirmation') and connection_id = ${connectionId}::uuid
             and state in ('claimed', 'unknown') and (state = 'claimed' or next_lookup_at is not null) order by origin_id limit 1`,
    ),
  )
  if (handOff) {
    const what = namesOfKinds[handOff.kind] ?? 'test send'
    throw new Fault(
      'failed_precondition',
      'connection_in_use',
      `The result of ${what} ${handOff.origin_id} is still unknown and will be looked up through this connection. Try again in an hour.`,
    )
  }
  return {}
}
