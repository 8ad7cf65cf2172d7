import { purge } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldProvenance, type ProvenanceKey } from './contact-provenance.entity.ts'

/**
 * Walks through the provenance of all contacts, a step a transaction, and deletes what is older than its days and says
 * nothing that a newer entry does not: the creation of a contact stays, and the newest entry of each source. One call goes a
 * bounded way and the next goes on from there at its own time, so that a large table is walked through over hours: each walk
 * deletes all that is old, and most of what it reads stays. Any number of replicas may run it.
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
