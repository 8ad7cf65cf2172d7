import type { Ctx } from '../ctx.ts'
import { purgeRepeated, type OldCheck } from '../db/domain-check.entity.ts'

const slice = 1_000

/** Deletes old checks that repeat the verdict of the checks before and after them, in one transaction for each slice. Any number of replicas may run it. */
export async function purgeRepeatedChecks(ctx: Ctx): Promise<void> {
  const days = ctx.config.domainCheckKeepDays
  let deleted = 0
  let after: OldCheck | undefined
  do {
    const step = await ctx.tx((em) => purgeRepeated(em, { days, after, most: slice }))
    deleted += step.deleted
    after = step.last
  } while (after !== undefined)
  if (deleted > 0) ctx.log.info({ deleted, days }, 'old checks of sending domains deleted')
}
