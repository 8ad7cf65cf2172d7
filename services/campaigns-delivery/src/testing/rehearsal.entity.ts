import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { eventTotals, type EventTotals } from '../messages/event-count.entity.ts'
import { eventKinds } from '../messages/outcome.ts'
import { isUuid } from '@lettergate/values/uuid'
import { expectedKinds, type RehearsalState } from './test-send-states.ts'

export const Rehearsals = defineEntity({
  name: 'Rehearsal',
  tableName: 'rehearsals',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    testSendId: p.uuid(),
    state: p.text().$type<RehearsalState>(),
    failureReason: p.text().nullable(),
    signatureFailures: p.integer(),
    createdAt: p.datetime(),
    deadlineAt: p.datetime(),
    verifiedAt: p.datetime().nullable(),
  },
})

/** A rehearsal with the columns of its test send that it needs. */
export interface RehearsalRow {
  id: string
  test_send_id: string
  state: RehearsalState
  failure_reason: string | null
  signature_failures: number
  duplicates: number
  created_at: string
  deadline_at: string
  verified_at: string | null
}

export const rehearsalColumns = sql`r.id, r.test_send_id, r.state, r.failure_reason, r.signature_failures, t.duplicates, r.created_at, r.deadline_at, r.verified_at`

/** Returns the rehearsal of this workspace as the API shows it. Fault `not_found` also for a rehearsal of another workspace. */
export async function requireRehearsal(em: Em, workspaceId: string, by: { id: string } | { testSendId: string }) {
  const condition = 'id' in by ? sql`r.id = ${by.id}` : sql`r.test_send_id = ${by.testSendId}`
  const found = isUuid('id' in by ? by.id : by.testSendId)
    ? await row<RehearsalRow>(
        em,
        sql`select ${rehearsalColumns} from rehearsals r join test_sends t on t.workspace_id = r.workspace_id and t.id = r.test_send_id
             where r.workspace_id = ${workspaceId} and ${condition}`,
      )
    : undefined
  if (!found) throw new Fault('not_found', 'rehearsal', 'There is no such rehearsal.')
  const counts = await eventTotals(em, workspaceId, [found.test_send_id])
  return rehearsalReply(found, counts(found.test_send_id))
}

export const rehearsalReply = (rehearsal: RehearsalRow, eventCounts: EventTotals) => ({
  id: rehearsal.id,
  testSendRequestId: rehearsal.test_send_id,
  state: rehearsal.state,
  eventCounts,
  reconciliation: reconciliationOf(rehearsal, eventCounts),
  createdAt: timestampFromDate(new Date(rehearsal.created_at)),
  ...(rehearsal.verified_at === null ? {} : { verifiedAt: timestampFromDate(new Date(rehearsal.verified_at)) }),
})

const reconciliationOf = (rehearsal: RehearsalRow, eventCounts: EventTotals) => ({
  expected: [...expectedKinds],
  received: eventKinds.filter((kind) => eventCounts[kind] > 0),
  missing: expectedKinds.filter((kind) => eventCounts[kind] === 0),
  duplicates: rehearsal.duplicates,
  signatureFailures: rehearsal.signature_failures,
  deadlineAt: timestampFromDate(new Date(rehearsal.deadline_at)),
  ...(rehearsal.failure_reason === null ? {} : { failureReason: rehearsal.failure_reason }),
})
