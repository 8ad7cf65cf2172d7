import { execute, row, sql, type Em } from '@lettergate/database'
import { restLine, trustConnection, trustLine, type Line } from '../db/connection-holds.ts'
import { lockTestSends } from '../db/test-sends.ts'
import { alertRefusal } from '../delivery/alert-refusal.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import { reconcile } from './record-test-facts.ts'
import type { TestIntent } from './test-intent.ts'

/** What there is to know of the call of a test send when its answer came. */
export interface AnsweredTest extends TestIntent {
  line: Line
}

/**
 * Writes down what an answer proved. A message that was provably not taken has failed, an ambiguous one is unknown and stays
 * `queued` until the provider's events or a look-up say more. Neither is ever handed over again.
 */
export async function settleTest(em: Em, answered: AnsweredTest, result: HandOffResult): Promise<void> {
  const { id, line, isTrial } = answered
  const { workspaceId } = line
  await lockTestSends(em, workspaceId, [id])
  switch (result.kind) {
    case 'accepted':
      await execute(
        em,
        sql`update test_sends set hand_off_state = 'accepted', provider_message_id = ${result.providerMessageId}, reason = null, settled_at = clock_timestamp(), next_lookup_at = null
             where workspace_id = ${workspaceId} and id = ${id}`,
      )
      break
    case 'unknown':
      await callUnknown(em, workspaceId, id, result.reason)
      await restLine(em, line, { reason: 'ambiguous', retryAfterMs: 0, claimedAt: await claimedAt(em, line, id) })
      break
    case 'refused':
      await failTest(em, { workspaceId, id, reason: result.reason, attempts: 1 })
      break
    case 'not_accepted':
      await failTest(em, { workspaceId, id, reason: result.reason, attempts: 1 })
      await rest(em, answered, result)
      break
  }
  if (isTrial && (result.kind === 'accepted' || result.kind === 'refused')) await trustLine(em, line)
  await reconcile(em, workspaceId, id)
}

async function rest(
  em: Em,
  { line, id, isTrial }: AnsweredTest,
  { cause, retryAfterMs }: Extract<HandOffResult, { kind: 'not_accepted' }>,
): Promise<void> {
  const { isNew } = await restLine(em, line, { reason: cause, retryAfterMs, claimedAt: await claimedAt(em, line, id) })
  if (isTrial && cause === 'domain_refused') await trustConnection(em, line)
  if (isNew) await alertRefusal(em, line, cause, { test_send_id: id })
}

async function claimedAt(em: Em, { workspaceId }: Line, id: string): Promise<string> {
  const known = await row<{ created_at: string }>(
    em,
    sql`select created_at from test_sends where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return known!.created_at
}

/** A call of which nobody knows the end: the provider is asked a minute after its intent. */
export const callUnknown = (em: Em, workspaceId: string, id: string, reason: string): Promise<number> =>
  execute(
    em,
    sql`update test_sends set hand_off_state = 'unknown', reason = ${reason}, next_lookup_at = created_at + ${lookupMinutes[0]} * interval '1 minute'
         where workspace_id = ${workspaceId} and id = ${id} and hand_off_state = 'claimed'`,
  )

/** What was provably not taken has failed; with no attempts when the call never began. */
export const failTest = (
  em: Em,
  failed: { workspaceId: string; id: string; reason: string; attempts: 0 | 1 },
): Promise<number> =>
  execute(
    em,
    sql`update test_sends set hand_off_state = 'failed', reason = ${failed.reason}, attempt_count = ${failed.attempts}, settled_at = clock_timestamp(), next_lookup_at = null
         where workspace_id = ${failed.workspaceId} and id = ${failed.id} and hand_off_state in ('claimed', 'unknown')`,
  )
