import type { Ctx } from '../ctx.ts'
import { forgetSettled } from '../db/campaign-webhook-deliveries.ts'

const batch = 1_000
/** The rest waits for the next time, so that nothing else waits for this. */
const batchesMost = 100

/** Takes away what receivers were told long ago, a batch a transaction. What is still owed stays, however old. Any number of workers may run it. */
export async function forgetWebhookDeliveries(ctx: Ctx): Promise<void> {
  const days = ctx.config.campaignWebhookDeliveryDays
  let forgotten = 0
  for (let done = 0; done < batchesMost; done += 1) {
    const gone = await ctx.tx((em) => forgetSettled(em, { days, most: batch }))
    forgotten += gone
    if (gone < batch) break
  }
  if (forgotten > 0) ctx.log.info({ forgotten, days }, 'old campaign webhook deliveries forgotten')
}
