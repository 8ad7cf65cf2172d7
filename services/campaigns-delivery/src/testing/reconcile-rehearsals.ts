import { columns, kyselyOf, sql, statement, type Em } from '@lettergate/database'
import { eventTotals } from '../messages/event-count.entity.ts'
import { factsOf } from '../messages/message-fact.entity.ts'
import { Rehearsal } from './rehearsal.entity.ts'
import { nextRehearsalResult, testSendStates, type RehearsalResult } from './test-send-states.ts'
import { selectTestSends } from './test-send.entity.ts'

const lockOpen = statement('lock-open-rehearsals', columns(Rehearsal, 'test_send_id', 'state', 'failure_reason'))

/** Updates the state of the rehearsals among these test sends by their calls and events. */
export async function reconcileRehearsals(em: Em, workspaceId: string, testSendIds: readonly string[]): Promise<void> {
  const open = await lockOpen.rows(
    em,
    sql`select test_send_id, state, failure_reason from rehearsals
         where workspace_id = ${workspaceId} and test_send_id = any(${[...testSendIds]}::uuid[]) and state in ('pending', 'sent')
         order by test_send_id for update`,
  )
  if (open.length === 0) return
  const ids = open.map(({ test_send_id }) => test_send_id)
  const tests = await selectTestSends(em, workspaceId, sql`r.id = any(${ids}::uuid[])`)
  const byId = new Map(tests.map((test) => [test.id, test]))
  const totalsOf = await eventTotals(em, workspaceId, ids)
  for (const { test_send_id: id, state, failure_reason: failureReason } of open) {
    const test = byId.get(id)!
    const now = { state, failureReason }
    const next = nextRehearsalResult(now, {
      testSend: testSendStates[test.state],
      facts: factsOf(test),
      reason: test.reason,
      received: new Set(Object.entries(totalsOf(id)).flatMap(([kind, count]) => (count > 0 ? [kind] : []))),
    })
    if (next.state !== state) await move(em, workspaceId, id, next)
  }
}

const move = (em: Em, workspaceId: string, testSendId: string, { state, failureReason }: RehearsalResult) =>
  kyselyOf(em, Rehearsal)
    .updateTable('rehearsals')
    .set({
      state,
      failure_reason: failureReason,
      verified_at: state === 'verified' ? sql`clock_timestamp()` : null,
    })
    .where('workspace_id', '=', workspaceId)
    .where('test_send_id', '=', testSendId)
    .execute()
