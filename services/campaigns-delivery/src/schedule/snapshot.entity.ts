import { defineEntity, p } from '@mikro-orm/core'
import { execute, sql, type Em } from '@lettergate/database'

export const Snapshots = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshots',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    runId: p.uuid(),
    campaignId: p.uuid(),
    draftVersion: p.integer(),
    audienceIds: p.array(),
    includedCount: p.integer(),
    excludedCount: p.integer(),
    exclusionCounts: p.json<Record<string, number>>(),
    createdAt: p.datetime(),
  },
})

/** Stores the snapshot in the transaction that makes the run visible. It is never changed. */
export async function insertSnapshot(
  em: Em,
  {
    workspaceId,
    run,
    ...of
  }: {
    workspaceId: string
    run: { id: string; campaignId: string; snapshotId: string }
    draftVersion: number
    audienceIds: readonly string[]
    counts: { included: number; excluded: number; exclusionCounts: Record<string, number> }
  },
): Promise<void> {
  const { included, excluded, exclusionCounts } = of.counts
  await execute(
    em,
    sql`insert into snapshots (workspace_id, id, run_id, campaign_id, draft_version, audience_ids, included_count, excluded_count, exclusion_counts)
        values (${workspaceId}, ${run.snapshotId}, ${run.id}, ${run.campaignId}, ${of.draftVersion}, ${[...of.audienceIds]}::uuid[], ${included}, ${excluded}, ${JSON.stringify(exclusionCounts)}::jsonb)`,
  )
}
