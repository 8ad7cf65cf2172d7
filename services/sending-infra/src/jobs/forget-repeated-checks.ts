import type { Ctx } from '../ctx.ts'
import { forgetRepeated, type OldCheck } from '../db/domain-check.entity.ts'

const slice = 1_000

/** Walks through the old checks and takes away what only says again what the ones beside it say, a slice a transaction. Any number of replicas may run it. */
export async function forgetRepeatedChecks(ctx: Ctx): Promise<void> {
  const days = ctx.config.domainCheckKeepDays
  let forgotten = 0
  let after: OldCheck | undefined
  do {
    const { gone, last } = await ctx.tx((em) => forgetRepeated(em, { days, after, most: slice }))
    forgotten += gone
    after = last
  } while (after !== undefined)
  if (forgotten > 0) ctx.log.info({ forgotten, days }, 'old checks of sending domains forgotten')
}
