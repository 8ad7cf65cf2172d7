import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'

export const RunTallies = defineEntity({
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
  },
})

export type OutcomeCounts = Record<
  'hardBounced' | 'delivered' | 'softFailedOnly' | 'opened' | 'clicked' | 'complained',
  number
>

/**
 * Sums the outcomes of a run's recipients, as `message_outcome` defines them. `appendFacts` or a trigger of the table keeps
 * the tallies current.
 */
export async function outcomesOfRun(em: Em, workspaceId: string, runId: string): Promise<OutcomeCounts> {
  const counted = await row<OutcomeCounts>(
    em,
    sql`select coalesce(sum(hard_bounced), 0)::int as "hardBounced", coalesce(sum(delivered), 0)::int as delivered,
               coalesce(sum(soft_failed_only), 0)::int as "softFailedOnly", coalesce(sum(opened), 0)::int as opened,
               coalesce(sum(clicked), 0)::int as clicked, coalesce(sum(complained), 0)::int as complained
          from run_tallies where workspace_id = ${workspaceId} and run_id = ${runId}`,
  )
  return counted!
}
