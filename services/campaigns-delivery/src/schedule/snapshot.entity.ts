import { defineEntity, p } from '@mikro-orm/core'
import type { Em } from '@lettergate/database'

export const Snapshot = defineEntity({
  name: 'Snapshot',
  tableName: 'snapshots',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    runId: p.uuid(),
    campaignId: p.uuid(),
    draftVersion: p.integer(),
    audienceIds: p.array<string>().columnType('uuid[]'),
    includedCount: p.integer(),
    excludedCount: p.integer(),
    exclusionCounts: p.json<Record<string, number>>(),
    createdAt: p.datetime().defaultRaw('now()'),
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
  await em.insert(Snapshot, {
    workspaceId,
    id: run.snapshotId,
    runId: run.id,
    campaignId: run.campaignId,
    draftVersion: of.draftVersion,
    audienceIds: [...of.audienceIds],
    includedCount: included,
    excludedCount: excluded,
    exclusionCounts,
  })
}
