import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { signingKey, untilNone, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'
import { waysTo } from '../through.ts'

/** A delivery of a message of nobody, signed as the provider signs. */
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

/** Events of the provider, verified and durable before the answer, with their consumers at work. */
export async function providerWebhooks(bench: Bench): Promise<Result[]> {
  const { look, floor, tell } = bench
  const [connection] = (await look.query<{ id: string }>('select id from sending.provider_connections limit 1')).rows
  const results: Result[] = []
  for (const { where, origin } of waysTo(bench, 'webhook-intake')) {
    const name = `provider webhooks ${where}`
    tell(name)
    const compared = await inTurns(
      bench,
      { name, unit: 'event' },
      {
        floor: { origin: floor.origin, call: () => ({ path: '/webhook', body: signedEvent() }) },
        ours: {
          origin,
          call: () => ({ path: `/webhooks/mailprovider/${connection!.id}`, body: signedEvent() }),
          settled: () => heard(look),
        },
      },
    )
    results.push({ name, unit: '/s', ...compared, floorIs: 'express 5, HMAC and one insert' })
  }
  return results
}

/** Until every event has left the outbox and was handled. */
const heard = (look: Bench['look']) =>
  untilNone(look, [
    'select from webhooks.outbox_pending limit 1',
    `select from webhooks.outbox o where event = 'provider_event_received'
        and not exists (select from campaigns.inbox i where i.consumer = 'on-provider-event-received' and i.event_id = o.id) limit 1`,
  ])
