import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { defineEntity, p } from '@mikro-orm/core'
import { rows, sql, type Em } from '@lettergate/database'
import { factTimes } from './fact-times.ts'
import { factNames, type FactName, type Facts } from '../domain/delivery/outcome.ts'
import type { TestPurpose } from '../domain/testing/conditions.ts'
import type { HandOffState, TestSendState } from '../domain/testing/test-outcome.ts'
import type { TestEvents } from './test-event-counts.ts'

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
    connectionId: p.uuid(),
    domainName: p.text(),
    region: p.text(),
    credentialEnvKey: p.text(),
    state: p.text().$type<TestSendState>(),
    handOffState: p.text().$type<HandOffState>(),
    attemptCount: p.smallint(),
    providerMessageId: p.text().nullable(),
    reason: p.text().nullable(),
    duplicates: p.integer(),
    lookups: p.smallint(),
    nextLookupAt: p.datetime().nullable(),
    requestedBy: p.text(),
    correlationId: p.text(),
    createdAt: p.datetime(),
    settledAt: p.datetime().nullable(),
    ...factTimes(),
  },
})

type FactColumns = { [F in FactName as `${F}_at`]: string | null }

export interface TestSendRow extends FactColumns {
  id: string
  purpose: TestPurpose
  sender_identity_id: string
  content_version_id: string
  recipient_email: string
  contact_id: string | null
  state: TestSendState
  hand_off_state: HandOffState
  attempt_count: number
  provider_message_id: string | null
  reason: string | null
  duplicates: number
  requested_by: string
  created_at: string
  settled_at: string | null
}

/** Test sends of this workspace by id, locked in the order of their ids; what is not there is absent. */
export const lockTestSends = (em: Em, workspaceId: string, ids: readonly string[]): Promise<TestSendRow[]> =>
  rows<TestSendRow>(
    em,
    sql`select * from test_sends where workspace_id = ${workspaceId} and id = any(${[...ids]}::uuid[]) order by id for update`,
  )

/** The test send of this workspace with that id, as it is now. */
export async function findTestSend(em: Em, workspaceId: string, id: string): Promise<TestSendRow | undefined> {
  const found = await rows<TestSendRow>(
    em,
    sql`select * from test_sends where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return found[0]
}

export const factsOf = (test: FactColumns): Facts =>
  Object.fromEntries(
    factNames.flatMap((fact) => {
      const at = test[`${fact}_at`]
      return at === null ? [] : [[fact, new Date(at)]]
    }),
  )

/** As the API shows it. */
export const testSendReply = (test: TestSendRow) => ({
  id: test.id,
  state: test.state,
  senderIdentityId: test.sender_identity_id,
  contentVersionId: test.content_version_id,
  recipientEmail: test.recipient_email,
  attemptCount: test.attempt_count,
  ...(test.provider_message_id === null ? {} : { providerMessageId: test.provider_message_id }),
})

/** As the console lists it, with what is known of the call to the provider. */
export const listedTestSend = (test: TestSendRow, eventCounts: TestEvents) => ({
  ...testSendReply(test),
  purpose: test.purpose,
  handOffState: test.hand_off_state,
  ...(test.reason === null ? {} : { reason: test.reason }),
  eventCounts,
  requestedBy: test.requested_by,
  createdAt: timestampFromDate(new Date(test.created_at)),
  ...(test.settled_at === null ? {} : { settledAt: timestampFromDate(new Date(test.settled_at)) }),
})
