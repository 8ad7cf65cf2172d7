import { purge, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldDays, keepDayOfAudiences } from './audience-member-day.entity.ts'

/** Stores the members of every audience for today, and deletes old days. Any number of replicas may run it. */
export async function keepMemberDays(ctx: Ctx): Promise<Purged['result']> {
  await ctx.tx(keepDayOfAudiences)
  const { result } = await purge((most) => ctx.tx((em) => deleteOldDays(em, most)))
  return result
}
