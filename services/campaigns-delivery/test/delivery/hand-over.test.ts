import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openRegistry } from '@lettergate/service/registry'
import type { Ctx } from '../../src/ctx.ts'
import { handOver } from '../../src/delivery/hand-over.ts'
import { openDeliveryMetrics } from '../../src/delivery/metrics.ts'
import { runOrigin } from '../../src/delivery/run-origin.ts'
import { heardChanges } from '../../src/gates/heard-changes.ts'
import { handOffMessages } from '../../src/provider/mailgun/mailgun.ts'
import { testSendOrigin } from '../../src/testing/test-send-origin.ts'
import { insertHandOff } from '../message-rows.ts'
import { openRows, type RowsStage } from '../rows-stage.ts'

let rows: RowsStage
let requests = 0
/** closes each connection, so that the next call opens one */
const provider = createServer((_, res) => {
  requests += 1
  res.writeHead(200, { connection: 'close' }).end('{"id":"<accepted@mail.acme.test>"}')
})
beforeAll(async () => {
  rows = await openRows()
  await once(provider.listen(0, '127.0.0.1'), 'listening')
})
beforeEach(() => {
  requests = 0
})
afterAll(async () => {
  await new Promise((resolve) => provider.close(resolve))
  await rows.close()
})

const recipientOf = (messageId: string) => ({ messageId, email: 'p@example.org', preferenceToken: 'k1', variables: {} })

/** Hands one message over. `whileConnecting` runs after the worker began to connect, and before it is connected. */
async function handOverOne(kind: 'run' | 'test_send', whileConnecting: (ctx: Ctx) => void) {
  const [workspaceId, id, messageId] = [newId(), newId(), newId()]
  const { runId, connectionId } = await rows.run(workspaceId, 1)
  const originId = kind === 'run' ? runId : messageId
  await insertHandOff(rows.stage, { workspaceId, id, kind, originId, batch: 1, messageIds: [messageId], connectionId })
  await rows.stage.query('update campaigns.delivery_batches set done_at = now() where run_id = $1', [runId])
  const ctx: Ctx = Object.assign(rows.in(workspaceId), {
    metrics: openDeliveryMetrics({ metrics: openRegistry() }),
    origins: { run: runOrigin, test_send: testSendOrigin, automation: runOrigin, confirmation: runOrigin },
    config: { handOffTimeoutMs: 15_000, deliveryPauseAt: 'never' },
    changes: heardChanges(),
    handOffMessages: (...call: Parameters<typeof handOffMessages>) => {
      const result = handOffMessages(...call)
      whileConnecting(ctx)
      return result
    },
  }) as unknown as Ctx
  const now = performance.now()
  const message = { id: messageId, contactId: newId(), audienceId: newId(), minimumIntervalSeconds: 0 }
  const state = await handOver(
    ctx,
    {
      handOff: { workspaceId, id, kind, originId, batch: 1, messages: [message] },
      route: { workspaceId, connectionId, domainName: 'mail.acme.test' },
      isTrial: false,
    },
    {
      access: {
        apiKey: 'key',
        domain: 'mail.acme.test',
        baseUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
      },
      form: { boundary: 'boundary', head: Buffer.from('') },
      messages: new Map([[messageId, recipientOf(messageId)]]),
      intentAt: now,
      committedAt: now,
      judgedAt: now,
      isCurrent: ctx.changes.watch(workspaceId),
    },
  )
  const [handOff] = await rows.stage.query('select state, reason from campaigns.hand_offs where id = $1', [id])
  const holds = await rows.stage.query('select from campaigns.connection_holds where workspace_id = $1', [workspaceId])
  const open = await rows.stage.query(
    'select from campaigns.delivery_batches where run_id = $1 and done_at is null and due_at <= now()',
    [runId],
  )
  return { state, handOff, cooldowns: holds.length, openBatches: open.length }
}

test('a change that is reported while the worker connects stops the call, and the batch is due again without a cooldown', async () => {
  const handedOver = await handOverOne('run', ({ changes }) => changes.record(undefined))
  expect(requests).toBe(0)
  expect(handedOver).toEqual({
    state: 'pending',
    handOff: { state: 'put_back', reason: 'gates_changed' },
    cooldowns: 0,
    openBatches: 1,
  })
})

test('a call whose workspace did not change is made', async () => {
  const handedOver = await handOverOne('run', ({ changes }) => changes.record(new Set([newId()])))
  expect(requests).toBe(1)
  expect(handedOver).toMatchObject({ state: 'accepted', handOff: { state: 'accepted' }, cooldowns: 0 })
})

test('the call of a test send is made, because it would fail for good', async () => {
  expect(await handOverOne('test_send', ({ changes }) => changes.record(undefined))).toMatchObject({
    state: 'accepted',
  })
  expect(requests).toBe(1)
})
