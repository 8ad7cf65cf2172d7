import type { Em } from '@lettergate/database'
import { partsOf, type ErasureRow } from './erasure.entity.ts'
import { erasedByService } from './erasure-state.ts'
import { moment } from '@lettergate/values/moment'

/** The reply for an erasure, with the rows that each service has deleted so far. */
export async function erasureReply(em: Em, workspaceId: string, erasure: ErasureRow) {
  return {
    id: erasure.id,
    contactId: erasure.contact_id,
    state: erasure.completed_at === null ? 'running' : 'completed',
    requestedBy: erasure.requested_by,
    requestedAt: moment(erasure.requested_at),
    completedAt: moment(erasure.completed_at),
    services: erasedByService(await partsOf(em, workspaceId, erasure.id)),
  }
}
