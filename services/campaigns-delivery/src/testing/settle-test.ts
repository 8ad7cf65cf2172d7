import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { restConnection, trustConnection } from '../db/connection-holds.ts'
import { lockTestSends } from '../db/test-sends.ts'
import { lookupMinutes } from '../domain/delivery/backoff.ts'
import type { HandOffResult } from '../provider/mailgun/classify.ts'
import { reconcile } from './record-test-facts.ts'
import type { TestIntent } from './test-intent.ts'

/** What there is to know of the call of a test send when its answer came. */
export interface AnsweredTest extends TestIntent {
  workspaceId: string
  connectionId: string
}

/**
 * Writes down what an answer proved. A message that was provably not taken has failed, an ambiguous one is unknown and stays
 * `queued` until the provider's events or a look-up say more. Neither is ever handed over again.
 */
export async function settleTest(em: Em, answered: AnsweredTest, result: HandOffResult): Promise<void> {
  const { workspaceId, id, connectionId, isTrial } = answered
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
      await restConnection(em, { workspaceId, connectionId }, { reason: 'ambiguous', retryAfterMs: 0 })
      break
    case 'refused':
      await failTest(em, { workspaceId, id, reason: result.reason, attempts: 1 })
      break
    case 'not_accepted':
      await failTest(em, { workspaceId, id, reason: result.reason, attempts: 1 })
      await rest(em, answered, result)
      break
  }
  if (isTrial && (result.kind === 'accepted' || result.kind === 'refused'))
    await trustConnection(em, workspaceId, connectionId)
  await reconcile(em, workspaceId, id)
}

async function rest(
  em: Em,
  { workspaceId, connectionId, id }: AnsweredTest,
  result: Extract<HandOffResult, { kind: 'not_accepted' }>,
): Promise<void> {
  const { cause, retryAfterMs } = result
  const { isNew } = await restConnection(em, { workspaceId, connectionId }, { reason: cause, retryAfterMs })
  if (cause === 'credential_refused' && isNew)
    await publish(em, AlertRaisedSchema, {
      code: 'provider_credential_refused',
      severity: 'critical',
      summary:
        'The mail provider refuses the credential of a connection; its deliveries rest. Check the connection and its key.',
      detail: { connection_id: connectionId, test_send_id: id },
    })
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
