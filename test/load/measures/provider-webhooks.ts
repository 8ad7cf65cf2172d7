import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { failuresOf, load, signingKey, type Bench } from '../bench.ts'
import { drive } from '../drive.ts'
import type { Result } from '../result.ts'

function signed(): string {
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
export async function providerWebhooks({ stack, look, floor, tell }: Bench): Promise<Result[]> {
  tell(`provider webhooks, ${load.connections} connections`)
  const [connection] = (await look.query<{ id: string }>('select id from sending.provider_connections limit 1')).rows
  const alone = await drive(floor.origin, { ...load, call: () => ({ path: '/webhook', body: signed() }) })
  const ours = await drive(stack.base_url, {
    ...load,
    call: () => ({ path: `/webhooks/mailprovider/${connection!.id}`, body: signed() }),
  })
  return [
    {
      name: 'provider webhooks',
      unit: '/s',
      ours: ours.perSecond,
      floor: alone.perSecond,
      floorIs: 'express 5, HMAC and one insert',
      note: failuresOf(ours.failures),
    },
  ]
}
