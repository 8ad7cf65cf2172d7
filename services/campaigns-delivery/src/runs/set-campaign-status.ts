import { sql, statement, type Em } from '@lettergate/database'
import { campaignStatusFor, type RunState } from './run-states.ts'

const setStatus = statement('set-campaign-status')

/** Sets the status of a campaign to that of its latest run, which is in this state now. */
export async function setCampaignStatus(
  em: Em,
  workspaceId: string,
  campaignId: string,
  state: Exclude<RunState, 'paused'>,
): Promise<void> {
  await setStatus.execute(
    em,
    sql`update campaigns set status = ${campaignStatusFor(state)} where workspace_id = ${workspaceId} and id = ${campaignId}`,
  )
}
