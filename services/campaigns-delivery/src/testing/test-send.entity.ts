import { defineEntity, p } from '@mikro-orm/core'
import { column, columns, listOf, sql, statement, type Em, type RowOf } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { HandOff } from '../delivery/hand-off.entity.ts'
import type { EventTotals } from '../messages/event-count.entity.ts'
import { factColumns, factList, joinMessageState } from '../messages/message-fact.entity.ts'
import type { RecipientState } from '../messages/recipient-state.ts'
import type { TestPurpose } from './conditions.ts'
import { testSendStates } from './test-send-states.ts'

export const TestSend = defineEntity({
  name: 'TestSend',
  tableName: 'test_sends',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    purpose: p.text().$type<TestPurpose>(),
    senderIdentityId: p.uuid(),
    contentVersionId: p.uuid(),
    recipientEmail: p.text(),
    contactId: p.uuid().nullable(),
    duplicates: p.integer().default(0),
    requestedBy: p.text(),
    correlationId: p.text(),
    createdAt: p.datetime().defaultRaw('clock_timestamp()'),
  },
})

const ownColumns = columns(
  TestSend,
  'id',
  'purpose',
  'sender_identity_id',
  'content_version_id',
  'recipient_email',
  'requested_by',
  'created_at',
)
const handOffColumns = columns(HandOff, 'provider_message_id', 'reason', 'settled_at')
const testSendColumns = {
  ...ownColumns,
  /** state of its message */
  state: column.text<RecipientState>(),
  hand_off_state: columns(HandOff, 'state').state,
  ...handOffColumns,
  ...factColumns,
}
const select = statement('select-test-sends', testSendColumns)

export type TestSendRow = RowOf<typeof testSendColumns>

/** Returns test sends r of this workspace with their message states. `condition` may also have an order and a limit. */
export const selectTestSends = (
  em: Em,
  workspaceId: string,
  condition: ReturnType<typeof sql>,
): Promise<TestSendRow[]> =>
  select.rows(
    em,
    sql`select ${listOf(ownColumns, 'r')}, s.state, h.state as hand_off_state, ${listOf(handOffColumns, 'h')}, ${factList}
          from (select *, 0 as batch from test_sends) r ${joinMessageState(sql`r.id`)}
         where r.workspace_id = ${workspaceId} and ${condition}`,
  )

/** Returns the test send of this workspace with that id. */
export const findTestSend = async (em: Em, workspaceId: string, id: string): Promise<TestSendRow | undefined> =>
  (await selectTestSends(em, workspaceId, sql`r.id = ${id}`))[0]

/** True while the result of the call is not known. */
export const isUnderWay = (test: TestSendRow): boolean => test.hand_off_state === 'claimed'

/** The test send as the API shows it. */
export const testSendReply = (test: TestSendRow) => ({
  id: test.id,
  state: testSendStates[test.state],
  senderIdentityId: test.sender_identity_id,
  contentVersionId: test.content_version_id,
  recipientEmail: test.recipient_email,
  attemptCount: test.hand_off_state === 'put_back' ? 0 : 1,
  ...(test.provider_message_id === null ? {} : { providerMessageId: test.provider_message_id }),
})

/** The test send as the console lists it, with the result of the provider call. */
export const listedTestSend = (test: TestSendRow, eventCounts: EventTotals) => ({
  ...testSendReply(test),
  purpose: test.purpose,
  handOffState: test.hand_off_state === 'put_back' ? 'failed' : test.hand_off_state,
  ...(test.reason === null ? {} : { reason: test.reason }),
  eventCounts,
  requestedBy: test.requested_by,
  createdAt: moment(test.created_at),
  settledAt: moment(test.settled_at),
})
