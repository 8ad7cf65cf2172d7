import { purge, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteSettledDeliveries } from './campaign-webhook-delivery.entity.ts'

/**
 * Deletes old settled deliveries, one batch in each transaction. Pending deliveries are never deleted. Safe with any number
 * of workers.
 */
export async function purgeWebhookDeliveries(ctx: Ctx): Promise<Purged['result']> {
  const days = ctx.config.campaignWebhookDeliveryDays
  const { deleted, result } = await purge((most) => ctx.tx((em) => deleteSettledDeliveries(em, { days, most })))
  if (deleted > 0) ctx.log.info({ deleted, days }, 'old campaign webhook deliveries deleted')
  return result
}
