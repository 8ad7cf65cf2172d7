import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { defineEntity, p } from '@mikro-orm/core'
import { row, sql, type Em } from '@lettergate/database'
import type { HandOffState } from '../delivery/hand-off.entity.ts'
import type { EventTotals } from '../messages/event-count.entity.ts'
import { factColumns, joinMessageState, type FactTimes } from '../messages/message-fact.entity.ts'
import type { RecipientState } from '../messages/recipient-state.ts'
import type { TestPurpose } from './conditions.ts'
import { testSendStates } from './test-send-states.ts'

export const TestSends = defineEntity({
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
    duplicates: p.integer(),
    requestedBy: p.text(),
    correlationId: p.text(),
    createdAt: p.datetime(),
  },
})

export interface TestSendRow extends FactTimes {
  id: string
  purpose: TestPurpose
  sender_identity_id: string
  content_version_id: string
  recipient_email: string
  contact_id: string | null
  duplicates: number
  requested_by: string
  created_at: string
  /** state of its message */
  state: RecipientState
  hand_off_state: HandOffState
  provider_message_id: string | null
  reason: string | null
  settled_at: string | null
}

/** Selects test sends r with their message states. Conditions and an order may follow. */
export const testSends = sql`
  select r.id, r.purpose, r.sender_identity_id, r.content_version_id, r.recipient_email, r.contact_id, r.duplicates, r.requested_by, r.created_at,
         s.state, h.state as hand_off_state, h.provider_message_id, h.reason, h.settled_at, ${factColumns}
    from (select *, 0 as batch from test_sends) r ${joinMessageState(sql`r.id`)}`

/** Returns the test send of this workspace with that id. */
export const findTestSend = (em: Em, workspaceId: string, id: string): Promise<TestSendRow | undefined> =>
  row<TestSendRow>(em, sql`${testSends} where r.workspace_id = ${workspaceId} and r.id = ${id}`)

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
  createdAt: timestampFromDate(new Date(test.created_at)),
  ...(test.settled_at === null ? {} : { settledAt: timestampFromDate(new Date(test.settled_at)) }),
})
