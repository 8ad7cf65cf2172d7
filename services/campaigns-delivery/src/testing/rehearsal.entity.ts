import { defineEntity, p } from '@mikro-orm/core'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { eventTotals, type EventTotals } from '../messages/event-count.entity.ts'
import { eventKinds } from '../messages/outcome.ts'
import { isUuid } from '@lettergate/values/uuid'
import { moment } from '@lettergate/values/moment'
import { TestSend } from './test-send.entity.ts'
import { expectedKinds, type RehearsalState } from './test-send-states.ts'

export const Rehearsal = defineEntity({
  name: 'Rehearsal',
  tableName: 'rehearsals',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    testSendId: p.uuid(),
    state: p.text().$type<RehearsalState>().default('pending'),
    failureReason: p.text().nullable(),
    signatureFailures: p.integer().default(0),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
    deadlineAt: p.datetime(),
    verifiedAt: p.datetime().nullable(),
  },
})

/** A rehearsal with the columns of its test send that it needs. */
export type RehearsalRow = Row<typeof Rehearsal> & Pick<Row<typeof TestSend>, 'duplicates'>

/** Selects rehearsals r of this workspace with their test sends t. */
export const selectRehearsals = (em: Em, workspaceId: string) =>
  kyselyOf(em, Rehearsal, TestSend)
    .selectFrom('rehearsals as r')
    .innerJoin('test_sends as t', (join) =>
      join.onRef('t.workspace_id', '=', 'r.workspace_id').onRef('t.id', '=', 'r.test_send_id'),
    )
    .selectAll('r')
    .select('t.duplicates')
    .where('r.workspace_id', '=', workspaceId)

/** Returns the rehearsal of this workspace as the API shows it. Fault `not_found` also for a rehearsal of another workspace. */
export async function requireRehearsal(em: Em, workspaceId: string, by: { id: string } | { testSendId: string }) {
  const [column, id] = 'id' in by ? (['r.id', by.id] as const) : (['r.test_send_id', by.testSendId] as const)
  const found = isUuid(id)
    ? await selectRehearsals(em, workspaceId).where(column, '=', id).executeTakeFirst()
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
  createdAt: moment(rehearsal.created_at),
  verifiedAt: moment(rehearsal.verified_at),
})

const reconciliationOf = (rehearsal: RehearsalRow, eventCounts: EventTotals) => ({
  expected: [...expectedKinds],
  received: eventKinds.filter((kind) => eventCounts[kind] > 0),
  missing: expectedKinds.filter((kind) => eventCounts[kind] === 0),
  duplicates: rehearsal.duplicates,
  signatureFailures: rehearsal.signature_failures,
  deadlineAt: moment(rehearsal.deadline_at),
  ...(rehearsal.failure_reason === null ? {} : { failureReason: rehearsal.failure_reason }),
})
