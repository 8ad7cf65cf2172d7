import type { Ctx } from '../ctx.ts'
import { forgetRepeated } from '../db/domain-checks.ts'

const batch = 1_000
/** The rest waits for the next time, so that nothing else waits for this. */
const batchesMost = 100

/** Takes away old checks that only say again what the ones beside them say, a batch a transaction. Any number of replicas may run it. */
export async function forgetRepeatedChecks(ctx: Ctx): Promise<void> {
  const days = ctx.config.domainCheckKeepDays
  let forgotten = 0
  for (let done = 0; done < batchesMost; done += 1) {
    const gone = await ctx.tx((em) => forgetRepeated(em, { days, most: batch }))
    forgotten += gone
    if (gone < batch) break
  }
  if (forgotten > 0) ctx.log.info({ forgotten, days }, 'old checks of sending domains forgotten')
}
