import { purge } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldReceipts, type ReceiptPosition } from '../contacts/automation-step-receipt.entity.ts'

/**
 * Reads the receipts of all contacts in steps, one transaction each, and deletes old ones. One call makes a limited number of
 * steps, and the next call continues from there. Any number of replicas may run it.
 */
export function stepReceiptPurge(ctx: Ctx): () => Promise<void> {
  const days = ctx.config.automationStepsKeepDays
  let after: ReceiptPosition | undefined
  return async () => {
    let deleted = 0
    await purge(async (most) => {
      const step = await ctx.tx((em) => deleteOldReceipts(em, { days, after, most }))
      after = step.last
      deleted += step.deleted
      return step.seen
    })
    if (deleted > 0) ctx.log.info({ deleted, days }, 'old receipts of automation steps deleted')
  }
}
