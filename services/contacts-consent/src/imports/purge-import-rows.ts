import { purge, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldRows } from './import-row.entity.ts'

/** Deletes the ledger of old imports in steps. Any number of replicas may run it. */
export async function purgeImportRows(ctx: Ctx): Promise<Purged['result']> {
  const days = ctx.config.importRowsKeepDays
  const { deleted, result } = await purge((most) => ctx.tx((em) => deleteOldRows(em, { days, most })))
  if (deleted > 0) ctx.log.info({ deleted, days }, 'ledger of old imports deleted')
  return result
}
