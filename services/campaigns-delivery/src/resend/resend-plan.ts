import { row, sql, type Em } from '@lettergate/database'
import type { KeyedRequest } from '../idempotency/idempotency-key.entity.ts'
import { requireRun } from '../runs/campaign-run.entity.ts'
import { countUnknown } from '../runs/run-recipient.entity.ts'
import { requireResendable } from './resend.ts'
import { countResendable, resendable } from './resendable.ts'

/** A parsed request. Conditions on the run are not checked yet. */
export interface ResendRequest extends KeyedRequest {
  runId: string
  /** number of recipients that the caller expects */
  count: number
}

/** A run whose unknown messages will be sent again, with the fields that the new run copies. */
export interface ResentRun {
  id: string
  campaign_id: string
  draft_version: number
  content_version_id: string
  sender_identity_id: string
  template_is_archived: boolean
  /** audiences of the recipients to send to */
  audience_ids: string[]
}

/** Returns the run if its unknown messages can be sent again now. Otherwise throws the Fault that says why. */
export async function planResend(em: Em, workspaceId: string, { runId, count }: ResendRequest): Promise<ResentRun> {
  const { campaign_id: campaignId, state } = await requireRun(em, workspaceId, runId)
  requireResendable({
    state,
    liveRun: await findLiveRun(em, workspaceId, campaignId),
    unknown: await countUnknown(em, workspaceId, runId),
    resendable: await countResendable(em, workspaceId, runId),
    count,
  })
  const found = await row<ResentRun>(
    em,
    sql`select r.id, r.campaign_id, s.draft_version, r.content_version_id, r.sender_identity_id, t.archived_at is not null as template_is_archived,
               array(select distinct recipients.audience_id from (${resendable(workspaceId, runId)}) as recipients order by 1) as audience_ids
          from campaign_runs r
          join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
          join content_versions v on v.workspace_id = r.workspace_id and v.id = r.content_version_id
          join email_templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
         where r.workspace_id = ${workspaceId} and r.id = ${runId}`,
  )
  return found!
}

/** Returns the run of a campaign that is not over, also one that is still being built. */
export const findLiveRun = (
  em: Em,
  workspaceId: string,
  campaignId: string,
): Promise<{ id: string; state: string } | undefined> =>
  row(
    em,
    sql`select id, state from campaign_runs
         where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and state in ('building', 'scheduled', 'sending', 'paused')`,
  )
