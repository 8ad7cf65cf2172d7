import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { signingKey, untilNone, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'
import { originsOf } from '../origins.ts'

/** A delivered event with the signature of the provider. Its message does not exist. */
export function signedEvent(): string {
  const [timestamp, token] = [String(Math.floor(Date.now() / 1000)), randomBytes(25).toString('hex')]
  const signature = createHmac('sha256', signingKey)
    .update(timestamp + token)
    .digest('hex')
  return JSON.stringify({
    signature: { timestamp, token, signature },
    'event-data': {
      id: randomUUID(),
      event: 'delivered',
      timestamp: Date.now() / 1000,
      'user-variables': { message_id: randomUUID() },
    },
  })
}

/** Provider events, which are verified and durable before the answer. Their consumers run at the same time. */
export async function providerWebhooks(bench: Bench): Promise<Result[]> {
  const { database, floor, print } = bench
  const [connection] = (await database.query<{ id: string }>('select id from sending.provider_connections limit 1'))
    .rows
  const results: Result[] = []
  for (const { where, origin } of originsOf(bench, 'webhook-intake')) {
    const name = `provider webhooks ${where}`
    print(name)
    const compared = await inTurns(
      bench,
      { name, unit: 'event' },
      {
        floor: { origin: floor.origin, call: () => ({ path: '/webhook', body: signedEvent() }) },
        ours: {
          origin,
          call: () => ({ path: `/webhooks/mailprovider/${connection!.id}`, body: signedEvent() }),
          settled: () => untilHandled(bench),
        },
      },
    )
    results.push({ name, unit: '/s', ...compared, floorIs: 'express 5, HMAC and one insert' })
  }
  return results
}

/**
 * Resolves when every event has left the outbox and its consumer has handled it. The counter of the worker shows that, because
 * an event about an unknown message leaves no row.
 */
async function untilHandled({ database, stack }: Bench): Promise<void> {
  await untilNone(database, ['select from webhooks.outbox_pending limit 1'])
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from webhooks.outbox where event = 'provider_event_received'`,
  )
  while ((await handledEvents(stack)) < rows[0]!.count) await sleep(50)
}

/** The events that the worker has handled since its start, which is also the start of the stack. */
async function handledEvents({ processes }: Bench['stack']): Promise<number> {
  const worker = processes.find(({ name, role }) => name === 'campaigns-delivery' && role === 'worker')!
  const metrics = await (await fetch(new URL('/metrics', worker.health_url))).text()
  const line = /^lettergate_events_handled_total\{(?=[^}]*"on-provider-event-received")(?=[^}]*"handled")[^}]*\} (\d+)/m
  return Number(line.exec(metrics)?.[1] ?? 0)
}
