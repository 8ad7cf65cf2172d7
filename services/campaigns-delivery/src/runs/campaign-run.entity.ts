import { defineEntity, p } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { CampaignRunSchema } from '@lettergate/contracts/campaigns/v1/campaigns'
import { column, columns, listOf, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'
import type { JudgedFrom, PausedBy } from './run-breaker.ts'
import type { RunState } from './run-states.ts'

export const CampaignRun = defineEntity({
  name: 'CampaignRun',
  tableName: 'campaign_runs',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    campaignId: p.uuid(),
    snapshotId: p.uuid(),
    contentVersionId: p.uuid(),
    senderIdentityId: p.uuid(),
    state: p.text().$type<RunState | 'building'>(),
    scheduledFor: p.datetime(),
    includedCount: p.integer().default(0),
    excludedCount: p.integer().default(0),
    exclusionCounts: p.json<Record<string, number>>().defaultRaw(`'{}'`),
    heldBy: p.text().nullable(),
    failureReason: p.text().nullable(),
    scheduledBy: p.text(),
    correlationId: p.text(),
    trace: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    buildingSeenAt: p.datetime().defaultRaw('now()'),
    createdAt: p.datetime().defaultRaw('now()'),
    startedAt: p.datetime().nullable(),
    completedAt: p.datetime().nullable(),
    hasLeftovers: p.boolean().default(false),
    endsCheckedAt: p.datetime().nullable(),
    /** of a run that is over, while the alert about its recipients is open */
    messageWithoutEnd: p.uuid().nullable(),
    pausedBy: p.json<PausedBy>().nullable(),
    judgedFrom: p.json<JudgedFrom>().defaultRaw(`'{"settled": 0, "complained": 0, "hard_bounced": 0}'`),
    connectionId: p.uuid().nullable(),
    domainName: p.text().nullable(),
    resendsRunId: p.uuid().nullable(),
    idleSince: p.datetime().nullable(),
    stallAlertedAt: p.datetime().nullable(),
  },
})

/** Sets the start time of a run. A run that was started before keeps its time. */
export const startedNow = { started_at: sql<string>`coalesce(started_at, now())` }

const ownColumns = columns(
  CampaignRun,
  'id',
  'campaign_id',
  'snapshot_id',
  'scheduled_for',
  'included_count',
  'excluded_count',
  'exclusion_counts',
  'held_by',
  'paused_by',
  'started_at',
  'completed_at',
  'resends_run_id',
)

/** The columns of a run that replies show, selected by `runList`. */
export const runColumns = {
  ...ownColumns,
  state: column.text<RunState>(),
  resent_by_run_id: nullable(column.uuid()),
}

/** A run as replies show it. */
export type RunRow = RowOf<typeof runColumns>

/** Selects run r, which is not being built, with the newest run that sends its unknown messages again. */
export const runList = sql`${listOf(ownColumns, 'r')}, r.state, (
  select n.id from campaign_runs n where n.workspace_id = r.workspace_id and n.resends_run_id = r.id order by n.id desc limit 1) as resent_by_run_id`

const selectRun = statement('select-campaign-run', runColumns)

/**
 * Returns the run of this workspace with that id. Fault `not_found` also for a run of another workspace or one that is still
 * being built.
 */
export async function requireRun(em: Em, workspaceId: string, id: string): Promise<RunRow> {
  const found = isUuid(id)
    ? await selectRun.row(
        em,
        sql`select ${runList} from campaign_runs r where r.workspace_id = ${workspaceId} and r.id = ${id} and r.state <> 'building'`,
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
    scheduledFor: moment(run.scheduled_for),
    includedCount: run.included_count,
    excludedCount: run.excluded_count,
    exclusionCounts: run.exclusion_counts,
    sentCount: counts.sent,
    failedCount: counts.failed,
    ...resendLinks(run),
  }) satisfies MessageInitShape<typeof CampaignRunSchema>
