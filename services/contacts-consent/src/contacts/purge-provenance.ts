import { purge } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldProvenance, type ProvenanceKey } from './contact-provenance.entity.ts'

/**
 * Reads the provenance of all contacts in steps, one transaction each, and deletes old entries. The creation of a contact and the
 * newest entry of each source stay. One call makes a limited number of steps, and the next call continues from there, so a full
 * pass over a large table takes hours. Any number of replicas may run it.
 */
export function provenancePurge(ctx: Ctx): () => Promise<void> {
  const days = ctx.config.provenanceKeepDays
  let after: ProvenanceKey | undefined
  return async () => {
    let deleted = 0
    await purge(async (most) => {
      const step = await ctx.tx((em) => deleteOldProvenance(em, { days, after, most }))
      after = step.last
      deleted += step.deleted
      return step.seen
    })
    if (deleted > 0) ctx.log.info({ deleted, days }, 'old provenance of contacts deleted')
  }
}
