import { purge, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { forgetSettled } from './campaign-webhook-delivery.entity.ts'

/** Takes away what receivers were told long ago, a batch a transaction. What is still owed stays, however old. Any number of workers may run it. */
export async function forgetWebhookDeliveries(ctx: Ctx): Promise<Purged['result']> {
  const days = ctx.config.campaignWebhookDeliveryDays
  const { gone: forgotten, result } = await purge((most) => ctx.tx((em) => forgetSettled(em, { days, most })))
  if (forgotten > 0) ctx.log.info({ forgotten, days }, 'old campaign webhook deliveries forgotten')
  return result
}
