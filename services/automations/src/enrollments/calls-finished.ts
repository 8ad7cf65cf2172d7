import { setTimeout as sleep } from 'node:timers/promises'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { EnrollmentClaim } from './enrollment-claim.entity.ts'

const pollMs = 50

/**
 * Resolves when no worker has this enrollment any more. Call it after the commit that paused or cancelled it: workers then begin no
 * other step for it. Throws when the caller gives up; the change stays.
 */
export async function callsFinished(ctx: Ctx, enrollmentId: string): Promise<void> {
  while (await ctx.tx((em) => isClaimed(em, ctx.workspaceId, enrollmentId)))
    await sleep(pollMs, undefined, { signal: ctx.signal })
}

async function isClaimed(em: Em, workspaceId: string, enrollmentId: string): Promise<boolean> {
  const claim = await kyselyOf(em, EnrollmentClaim)
    .selectFrom('enrollment_claims')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('lease_until', '>', sql<string>`now()`)
    .where(sql<string>`${enrollmentId}::uuid`, '=', (eb) => eb.fn.any('enrollment_ids'))
    .limit(1)
    .executeTakeFirst()
  return claim !== undefined
}
