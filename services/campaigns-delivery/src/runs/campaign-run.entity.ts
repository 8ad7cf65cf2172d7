import { defineEntity, p } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { CampaignRunSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import type { PausedBy, SettledCounts } from './run-breaker.ts'
import type { RunState } from './run-states.ts'

export const CampaignRuns = defineEntity({
  name: 'CampaignRun',
  tableName: 'campaign_runs',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    campaignId: p.uuid(),
    snapshotId: p.uuid(),
    contentVersionId: p.uuid(),
    senderIdentityId: p.uuid(),
    state: p.text().$type<RunState | 'building'>(),
    scheduledFor: p.datetime(),
    includedCount: p.integer(),
    excludedCount: p.integer(),
    exclusionCounts: p.json<Record<string, number>>(),
    heldBy: p.text().nullable(),
    failureReason: p.text().nullable(),
    scheduledBy: p.text(),
    correlationId: p.text(),
    trace: p.json<Record<string, string>>(),
    buildingSeenAt: p.datetime(),
    createdAt: p.datetime(),
    startedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    hasLeftovers: p.boolean(),
    endsCheckedAt: p.datetime().nullable(),
    pausedBy: p.json<PausedBy>().nullable(),
    judgedFrom: p.json<SettledCounts>(),
    connectionId: p.uuid().nullable(),
    domainName: p.text().nullable(),
    resendsRunId: p.uuid().nullable(),
  },
})

export interface RunRow {
  id: string
  campaign_id: string
  snapshot_id: string
  state: RunState
  scheduled_for: string
  included_count: number
  excluded_count: number
  exclusion_counts: Record<string, number>
  held_by: string | null
  paused_by: PausedBy | null
  started_at: string | null
  completed_at: string | null
  /** the run whose unknown messages this one sends again */
  resends_run_id: string | null
  /** the newest run that sends the unknown messages of this one again */
  resent_by_run_id: string | null
}

/** The newest run that sends the unknown messages of run r again. */
export const resentByRunId = sql`(
  select n.id from campaign_runs n where n.workspace_id = r.workspace_id and n.resends_run_id = r.id order by n.id desc limit 1) as resent_by_run_id`

/**
 * Returns the run of this workspace with that id. Fault `not_found` also for a run of another workspace or one that is still
 * being built.
 */
export async function requireRun(em: Em, workspaceId: string, id: string): Promise<RunRow> {
  const found = isUuid(id)
    ? await row<RunRow>(
        em,
        sql`select id, campaign_id, snapshot_id, state, scheduled_for, included_count, excluded_count, exclusion_counts, held_by, paused_by, started_at, completed_at,
                   resends_run_id, ${resentByRunId}
              from campaign_runs r where workspace_id = ${workspaceId} and id = ${id} and state <> 'building'`,
      )
    : undefined
  if (!found) throw new Fault('not_found', 'campaign_run', 'There is no such campaign run.')
  return found
}

/** The links between a run and the runs that send its unknown messages again. */
export const resendLinks = ({ resends_run_id, resent_by_run_id }: RunRow) => ({
  ...(resends_run_id === null ? {} : { resendsRunId: resends_run_id }),
  ...(resent_by_run_id === null ? {} : { resentByRunId: resent_by_run_id }),
})

/** The run as the API shows it. */
export const runReply = (run: RunRow, counts: { sent: number; failed: number }) =>
  ({
    id: run.id,
    campaignId: run.campaign_id,
    snapshotId: run.snapshot_id,
    state: run.state,
    scheduledFor: timestampFromDate(new Date(run.scheduled_for)),
    includedCount: run.included_count,
    excludedCount: run.excluded_count,
    exclusionCounts: run.exclusion_counts,
    sentCount: counts.sent,
    failedCount: counts.failed,
    ...resendLinks(run),
  }) satisfies MessageInitShape<typeof CampaignRunSchema>
