import { column, columns, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { KeyedRequest } from '../idempotency/idempotency-key.entity.ts'
import { CampaignRun, requireRun } from '../runs/campaign-run.entity.ts'
import { countUnknown } from '../runs/run-recipient.entity.ts'
import { Snapshot } from '../schedule/snapshot.entity.ts'
import { requireResendable, type LiveRun } from './resend.ts'
import { countResendable, resendable } from './resendable.ts'

/** A parsed request. Conditions on the run are not checked yet. */
export interface ResendRequest extends KeyedRequest {
  runId: string
  /** number of recipients that the caller expects */
  count: number
  /** instead of the sender of the run, if given */
  senderIdentityId: string | undefined
}

const resentColumns = {
  ...columns(CampaignRun, 'id', 'campaign_id', 'content_version_id', 'sender_identity_id'),
  ...columns(Snapshot, 'draft_version'),
  template_is_archived: column.boolean(),
  // audiences of the recipients to send to
  audience_ids: column.uuids(),
}
const selectResent = statement('select-resent-run', resentColumns)

/** A run whose unknown messages will be sent again, with the fields that the new run copies. */
export type ResentRun = RowOf<typeof resentColumns>

/** Returns the run if its unknown messages can be sent again now. Otherwise throws the Fault that says why. */
export async function planResend(em: Em, workspaceId: string, request: ResendRequest): Promise<ResentRun> {
  const { runId, count, senderIdentityId } = request
  const { campaign_id: campaignId, state } = await requireRun(em, workspaceId, runId)
  requireResendable({
    state,
    liveRun: await findLiveRun(em, workspaceId, campaignId),
    unknown: await countUnknown(em, workspaceId, runId),
    resendable: await countResendable(em, workspaceId, runId),
    count,
  })
  const found = await selectResent.row(
    em,
    sql`select r.id, r.campaign_id, s.draft_version, r.content_version_id, r.sender_identity_id, t.archived_at is not null as template_is_archived,
               array(select distinct recipients.audience_id from (${resendable(workspaceId, runId)}) as recipients order by 1) as audience_ids
          from campaign_runs r
          join snapshots s on s.workspace_id = r.workspace_id and s.id = r.snapshot_id
          join content_versions v on v.workspace_id = r.workspace_id and v.id = r.content_version_id
          join email_templates t on t.workspace_id = v.workspace_id and t.id = v.template_id
         where r.workspace_id = ${workspaceId} and r.id = ${runId}`,
  )
  return senderIdentityId === undefined ? found! : { ...found!, sender_identity_id: senderIdentityId }
}

/** Returns the run of a campaign that is not over, also one that is still being built. */
export const findLiveRun = (em: Em, workspaceId: string, campaignId: string): Promise<LiveRun | null> =>
  em.findOne(
    CampaignRun,
    { workspaceId, campaignId, state: { $in: ['building', 'scheduled', 'sending', 'paused'] } },
    { fields: ['id', 'state'] },
  )
