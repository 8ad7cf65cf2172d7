import { defineEntity, p } from '@mikro-orm/core'
import { column, sql, statement, type Em, type RowOf } from '@lettergate/database'

export const RunTally = defineEntity({
  name: 'RunTally',
  tableName: 'run_tallies',
  properties: {
    workspaceId: p.uuid(),
    runId: p.uuid().primary(),
    slot: p.smallint().primary(),
    hardBounced: p.bigint(),
    delivered: p.bigint(),
    softFailedOnly: p.bigint(),
    opened: p.bigint(),
    clicked: p.bigint(),
    complained: p.bigint(),
    /** messages of which an event was received and no hand-off is stored */
    withoutHandOff: p.bigint(),
  },
})

const outcomeCounts = {
  hardBounced: column.integer(),
  delivered: column.integer(),
  softFailedOnly: column.integer(),
  opened: column.integer(),
  clicked: column.integer(),
  complained: column.integer(),
}
const sumOutcomes = statement('sum-run-outcomes', outcomeCounts)

export type OutcomeCounts = RowOf<typeof outcomeCounts>

/**
 * Sums the outcomes of a run's recipients, as `message_outcome` defines them. `appendFacts` or a trigger of the table keeps
 * the tallies current.
 */
export async function outcomesOfRun(em: Em, workspaceId: string, runId: string): Promise<OutcomeCounts> {
  const counted = await sumOutcomes.row(
    em,
    sql`select coalesce(sum(hard_bounced), 0)::int as "hardBounced", coalesce(sum(delivered), 0)::int as delivered,
               coalesce(sum(soft_failed_only), 0)::int as "softFailedOnly", coalesce(sum(opened), 0)::int as opened,
               coalesce(sum(clicked), 0)::int as clicked, coalesce(sum(complained), 0)::int as complained
          from run_tallies where workspace_id = ${workspaceId} and run_id = ${runId}`,
  )
  return counted!
}
