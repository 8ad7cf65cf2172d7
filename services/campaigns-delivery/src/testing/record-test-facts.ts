import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { countTestEvents, testEventCounts } from '../db/test-event-counts.ts'
import { factsOf, findTestSend, lockTestSends, type TestSendRow } from '../db/test-sends.ts'
import { factNames, learn, type FactName } from '../domain/delivery/outcome.ts'
import { rehearsalStanding, testSendState, type RehearsalStanding } from '../domain/testing/test-outcome.ts'

/** One thing said about one test message; the kind of the provider's event, or null when we asked ourselves. */
export interface TestSaid {
  messageId: string
  kind: string | null
  fact: FactName
  at: Date
  providerEventId: string
  providerMessageId: string | undefined
}

/**
 * Adds what was said to what is known of test sends, counts the provider's events and reconciles rehearsals. What is said
 * of other messages, or those of another workspace, changes nothing.
 */
export async function recordTestFacts(em: Em, workspaceId: string, said: readonly TestSaid[]): Promise<void> {
  if (said.length === 0) return
  const byTest = Map.groupBy(said, ({ messageId }) => messageId)
  for (const test of await lockTestSends(em, workspaceId, [...byTest.keys()])) {
    const news = byTest.get(test.id)!
    await countTestEvents(
      em,
      workspaceId,
      test.id,
      news.flatMap(({ kind }) => kind ?? []),
    )
    await learnFacts(em, workspaceId, test, news)
    await tellContactsConsent(em, test, news)
    await reconcile(em, workspaceId, test.id)
  }
}

async function learnFacts(em: Em, workspaceId: string, test: TestSendRow, news: readonly TestSaid[]): Promise<void> {
  const facts = news.reduce((known, { fact, at }) => learn(known, fact, at), factsOf(test))
  const assignments = sql.join(
    factNames.map((fact) => sql`${sql.ref(`${fact}_at`)} = ${facts[fact] ?? null}::timestamptz`),
  )
  const providerMessageId = news.find((item) => item.providerMessageId !== undefined)?.providerMessageId ?? null
  await execute(
    em,
    sql`update test_sends set ${assignments}, provider_message_id = coalesce(provider_message_id, ${providerMessageId})
         where workspace_id = ${workspaceId} and id = ${test.id}`,
  )
}

/** A test belongs to no audience; but an address that bounces, or a person who complains, is not mailed again. */
async function tellContactsConsent(em: Em, test: TestSendRow, news: readonly TestSaid[]): Promise<void> {
  const { contact_id: contactId, id } = test
  if (contactId === null) return
  const told = (['hard_bounced', 'complained'] as const).flatMap((fact) => {
    const item = test[`${fact}_at`] === null ? news.find((one) => one.fact === fact) : undefined
    return item ? [item] : []
  })
  if (told.length === 0) return
  await publish(em, MessageSettledSchema, {
    messages: told.map(({ fact, at, providerEventId }) => ({
      messageId: id,
      contactId,
      fact,
      occurredAt: timestampFromDate(at),
      providerEventId,
    })),
  })
}

/** Brings a test send and its rehearsal to the state that call and events amount to. The test send is locked first, always. */
export async function reconcile(em: Em, workspaceId: string, testSendId: string): Promise<void> {
  const test = await findTestSend(em, workspaceId, testSendId)
  if (!test) return
  const facts = factsOf(test)
  const isProven = Object.keys(facts).length > 0 && test.hand_off_state !== 'accepted'
  const handOff = isProven ? 'accepted' : test.hand_off_state
  const state = testSendState(handOff, facts)
  if (isProven)
    await execute(
      em,
      sql`update test_sends set hand_off_state = 'accepted', reason = 'proven_by_events', settled_at = clock_timestamp(), next_lookup_at = null
           where workspace_id = ${workspaceId} and id = ${testSendId}`,
    )
  if (state !== test.state)
    await execute(
      em,
      sql`update test_sends set state = ${state} where workspace_id = ${workspaceId} and id = ${testSendId}`,
    )
  await reconcileRehearsal(em, workspaceId, { ...test, hand_off_state: handOff, state })
}

async function reconcileRehearsal(em: Em, workspaceId: string, test: TestSendRow): Promise<void> {
  if (test.purpose !== 'rehearsal') return
  const now = await row<RehearsalStanding>(
    em,
    sql`select state, failure_reason as "failureReason" from rehearsals
         where workspace_id = ${workspaceId} and test_send_id = ${test.id} for update`,
  )
  if (!now) return
  const counts = (await testEventCounts(em, workspaceId, [test.id]))(test.id)
  const next = rehearsalStanding(now, {
    testSend: test.state,
    facts: factsOf(test),
    reason: test.reason,
    received: new Set(Object.entries(counts).flatMap(([kind, count]) => (count > 0 ? [kind] : []))),
  })
  if (next.state === now.state) return
  await execute(
    em,
    sql`update rehearsals set state = ${next.state}, failure_reason = ${next.failureReason},
               verified_at = case when ${next.state} = 'verified' then clock_timestamp() end
         where workspace_id = ${workspaceId} and test_send_id = ${test.id} and state in ('pending', 'sent')`,
  )
}
