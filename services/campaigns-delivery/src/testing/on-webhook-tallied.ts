import { WebhookTalliedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { HandOff } from '../delivery/hand-off.entity.ts'
import { isUuid } from '@lettergate/values/uuid'
import { Rehearsal } from './rehearsal.entity.ts'
import { TestSend } from './test-send.entity.ts'

/**
 * Counts webhook requests that were not stored: signed repeats on their test send, and signature failures on every open
 * rehearsal of the connection, because they cannot be assigned to one.
 */
export const onWebhookTallied = consumer({
  name: 'on-webhook-tallied',
  from: 'webhook-intake',
  event: WebhookTalliedSchema,
  batch: 100,
  handle: async (ctx: Ctx, events) => {
    const { workspaceId } = ctx
    await ctx.tx(async (em) => {
      const newEvents = (await firstTime(em, events)).map(({ data }) => data)
      await addDuplicates(
        em,
        workspaceId,
        newEvents.flatMap(({ repeatedTestEvents }) => repeatedTestEvents),
      )
      const failures = Map.groupBy(newEvents, ({ connectionId }) => connectionId)
      for (const [connectionId, tallies] of [...failures].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const count = tallies.reduce((sum, { signatureFailures }) => sum + signatureFailures, 0)
        if (count > 0 && isUuid(connectionId)) await addSignatureFailures(em, { workspaceId, connectionId, count })
      }
    })
  },
})

async function addDuplicates(
  em: Em,
  workspaceId: string,
  repeated: readonly { testSendId: string; count: number }[],
): Promise<void> {
  const counts = new Map<string, number>()
  for (const { testSendId, count } of repeated)
    if (isUuid(testSendId)) counts.set(testSendId, (counts.get(testSendId) ?? 0) + count)
  for (const [testSendId, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
    await kyselyOf(em, TestSend)
      .updateTable('test_sends')
      .set({ duplicates: sql`least(duplicates::bigint + ${count}, 2147483647)::integer` })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', testSendId)
      .execute()
}

const addSignatureFailures = (
  em: Em,
  { workspaceId, connectionId, count }: { workspaceId: string; connectionId: string; count: number },
) =>
  kyselyOf(em, Rehearsal, HandOff)
    .updateTable('rehearsals as r')
    .from('hand_offs as h')
    .set({ signature_failures: sql`least(r.signature_failures::bigint + ${count}, 2147483647)::integer` })
    .where('r.workspace_id', '=', workspaceId)
    .where('r.state', 'in', ['pending', 'sent'])
    .whereRef('h.workspace_id', '=', 'r.workspace_id')
    .whereRef('h.origin_id', '=', 'r.test_send_id')
    .where('h.batch', '=', 0)
    .where('h.connection_id', '=', connectionId)
    .execute()
