import { column, sql, statement, type Em } from '@lettergate/database'
import type { Caps } from './conditions.ts'

const lockCaps = statement('lock-test-send-caps')
const countRecent = statement('count-recent-test-sends', { hourly: column.integer(), daily: column.integer() })

/** Locks the test sends of this workspace until the transaction ends, so that the caps hold. */
export const lockTestSendCaps = (em: Em, workspaceId: string): Promise<number> =>
  lockCaps.execute(em, sql`select pg_advisory_xact_lock(hashtextextended(${`test_sends ${workspaceId}`}, 0))`)

/** Counts the test sends and rehearsals of a workspace in the last hour and the last day (database clock). */
export async function countTestSends(em: Em, workspaceId: string): Promise<Caps> {
  const made = await countRecent.row(
    em,
    sql`select count(*) filter (where created_at > clock_timestamp() - interval '1 hour')::int as hourly, count(*)::int as daily
          from test_sends where workspace_id = ${workspaceId} and created_at > clock_timestamp() - interval '1 day'`,
  )
  return made ?? { hourly: 0, daily: 0 }
}

/** Returns the remaining caps of a workspace, as the console shows them. */
export async function remainingCaps(
  em: Em,
  workspaceId: string,
  { testSendHourlyCap: hourlyCap, testSendDailyCap: dailyCap }: { testSendHourlyCap: number; testSendDailyCap: number },
) {
  const made = await countTestSends(em, workspaceId)
  const dailyLeft = Math.max(0, dailyCap - made.daily)
  return { hourlyCap, dailyCap, dailyLeft, hourlyLeft: Math.min(dailyLeft, Math.max(0, hourlyCap - made.hourly)) }
}
