import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createHmac } from 'node:crypto'
import Mailgun from 'mailgun.js'
import { startMailProvider, type LocalMailProvider } from '../mail-provider/mail-provider.ts'
import { webhookTypes } from '../mail-provider/account.ts'
import { startReceiver, until } from './receiver.ts'

let provider: LocalMailProvider
let receiver: Awaited<ReturnType<typeof startReceiver>>

const client = (key = 'key-for-tests') => new Mailgun(FormData).client({ username: 'api', key, url: provider.url })

const send = (fields: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${provider.url}/v3/mail.acme.test/messages`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('api:key-for-tests')}` },
    body: new URLSearchParams({ from: 'news@mail.acme.test', subject: 'Hello', text: 'Hi', ...fields }),
    ...init,
  })

const sim = async (method: string, path: string, body?: unknown) => {
  const res = await fetch(`${provider.url}/sim${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: res.status, body: (await res.json()) as Record<string, unknown> }
}

const pending = async () => ((await sim('GET', '/stats')).body['events'] as { pending: number }).pending

beforeAll(async () => {
  provider = await startMailProvider({ apiKey: 'key-for-tests', signingKey: 'signing-key', retryScale: 0.0003 })
  receiver = await startReceiver()
  await sim('PUT', '/domains/mail.acme.test', {
    webhooks: Object.fromEntries(webhookTypes.map((type) => [type, [`${receiver.url}/hook`]])),
  })
})
afterAll(async () => {
  await provider.stop()
  await receiver.stop()
})

describe('the official client, unchanged', () => {
  test('reads a domain with its DNS records, and the list of domains', async () => {
    const domain = await client().domains.get('mail.acme.test')
    expect(domain).toMatchObject({ name: 'mail.acme.test', state: 'active' })
    expect(domain.sending_dns_records).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          record_type: 'TXT',
          name: 'mail.acme.test',
          value: expect.stringContaining('include:mailgun.org'),
          valid: 'valid',
        }),
        expect.objectContaining({ record_type: 'TXT', name: 'k1._domainkey.mail.acme.test', valid: 'valid' }),
      ]),
    )
    expect((await client().domains.list()).map(({ name }: { name: string }) => name)).toContain('mail.globex.test')
    const pending = await client().domains.get('pending.acme.test')
    expect(pending.state).toBe('unverified')
    expect(pending.sending_dns_records?.every(({ valid }: { valid: string }) => valid === 'unknown')).toBe(true)
  })

  test('an unknown domain is 404 and a wrong key 401', async () => {
    await expect(client().domains.get('nobody.test')).rejects.toMatchObject({ status: 404 })
    await expect(client('wrong').domains.get('mail.acme.test')).rejects.toMatchObject({ status: 401 })
  })

  test('creates, replaces, lists and removes webhooks, at most three URLs an event', async () => {
    const { webhooks } = client()
    // The client has an enum for this type, which it does not export.
    const opened = 'opened' as Parameters<typeof webhooks.get>[1]
    expect(await webhooks.create('mail.globex.test', 'opened', 'https://one.example/hook', false)).toMatchObject({
      id: 'opened',
      urls: ['https://one.example/hook'],
    })
    await webhooks.update('mail.globex.test', 'opened', ['https://one.example/hook', 'https://two.example/hook'])
    expect(await webhooks.list('mail.globex.test', {})).toMatchObject({
      opened: { urls: ['https://one.example/hook', 'https://two.example/hook'] },
      clicked: null,
    })
    const four = ['a', 'b', 'c', 'd'].map((name) => `https://${name}.example/`)
    await expect(webhooks.update('mail.globex.test', 'opened', four)).rejects.toMatchObject({ status: 400 })
    await webhooks.destroy('mail.globex.test', opened)
    await expect(webhooks.get('mail.globex.test', opened)).rejects.toMatchObject({ status: 404 })
    expect(await webhooks.list('full.acme.test', {})).toMatchObject({
      opened: { urls: [expect.any(String), expect.any(String), expect.any(String)] },
    })
  })

  test('sends a batch in which each recipient gets a separate message', async () => {
    const answer = await client().messages.create('mail.acme.test', {
      from: 'Acme <news@mail.acme.test>',
      to: ['Zoë <zoe+batch@example.org>', 'bob+batch@example.org'],
      subject: 'For %recipient.name%',
      html: '<p>Hello %recipient.name%, <a href="%recipient.link%">leave</a></p>',
      text: 'Hello %recipient.name% at %recipient%',
      'h:List-Unsubscribe': '<%recipient.link%>',
      'v:message_id': '%recipient.message_id%',
      'recipient-variables': JSON.stringify({
        'zoe+batch@example.org': { name: 'Zoë', link: 'https://x.example/u/1', message_id: 'm-1' },
        'bob+batch@example.org': { name: 'Bob', link: 'https://x.example/u/2', message_id: 'm-2' },
      }),
    })
    expect(answer).toMatchObject({
      status: 200,
      id: expect.stringMatching(/^<[^>]+@mail\.acme\.test>$/),
      message: 'Queued. Thank you.',
    })

    const { body } = await sim('GET', '/messages?to=bob%2Bbatch@example.org')
    expect(body['messages']).toEqual([
      expect.objectContaining({
        id: answer.id,
        to: 'bob+batch@example.org',
        subject: 'For Bob',
        html: '<p>Hello Bob, <a href="https://x.example/u/2">leave</a></p>',
        text: 'Hello Bob at bob+batch@example.org',
        variables: { message_id: 'm-2' },
        headers: expect.objectContaining({
          'List-Unsubscribe': '<https://x.example/u/2>',
          To: 'bob+batch@example.org',
        }),
      }),
    ])
    await until(() => receiver.of('zoe+batch@example.org').length === 2, 'accepted and delivered')
    expect(receiver.of('zoe+batch@example.org')[1]).toMatchObject({
      event: 'delivered',
      'user-variables': { message_id: 'm-1' },
    })
  })

  test('finds a message by its variable, in the logs and in the events', async () => {
    const { id } = (await (await send({ to: 'lookup@example.org', 'v:message_id': 'look-me-up' })).json()) as {
      id: string
    }
    const logs = await client().logs.list({
      start: new Date(Date.now() - 60_000),
      end: new Date(Date.now() + 1_000),
      events: ['accepted'],
      filter: {
        AND: [
          {
            attribute: 'user-variables.message_id',
            comparator: '=',
            values: [{ label: 'look-me-up', value: 'look-me-up' }],
          },
        ],
      },
    })
    expect(logs.items[0]).toMatchObject({ recipient: 'lookup@example.org', event: 'accepted' })
    const events = async (query: Record<string, string>) => {
      const res = await fetch(`${provider.url}/v3/mail.acme.test/events?${new URLSearchParams(query).toString()}`, {
        headers: { authorization: `Basic ${btoa('api:key-for-tests')}` },
      })
      return ((await res.json()) as { items: { recipient: string }[] }).items.map(({ recipient }) => recipient)
    }
    expect(await events({ 'message-id': id })).toContain('lookup@example.org')
    expect(await events({ 'v:message_id': 'look-me-up', event: 'accepted' })).toEqual(['lookup@example.org'])
    expect(await events({ 'v:message_id': 'never-sent' })).toEqual([])
  })
})

describe('signed events', () => {
  test('have a signature over timestamp and token, their own id, and the variables of the message', async () => {
    await send({ to: 'signed@example.org', 'v:message_id': 'abc' }, {})
    await until(() => receiver.of('signed@example.org').length === 2, 'two events')
    const [first, second] = receiver.events.filter(({ data }) => data.recipient === 'signed@example.org')
    const wanted = createHmac('sha256', 'signing-key')
      .update(`${first?.signature.timestamp}${first?.signature.token}`)
      .digest('hex')
    expect(first?.signature.signature).toBe(wanted)
    expect(first?.signature.token).not.toBe(second?.signature.token)
    expect(first?.data).toMatchObject({
      event: 'accepted',
      timestamp: expect.any(Number),
      'user-variables': { message_id: 'abc' },
    })
  })

  test('an event without variables has an empty list for them, as the provider writes it', async () => {
    await send({ to: 'bare@example.org' })
    await until(() => receiver.of('bare@example.org').length === 2, 'two events')
    expect(receiver.of('bare@example.org')[0]?.['user-variables']).toEqual([])
  })

  test.each([
    ['hardbounce', ['accepted', 'failed/permanent']],
    ['softfail', ['accepted', 'failed/temporary']],
    ['softthenok', ['accepted', 'failed/temporary', 'delivered']],
    ['complain', ['accepted', 'delivered', 'complained']],
    ['unsubscribe', ['accepted', 'delivered', 'unsubscribed']],
    ['open', ['accepted', 'delivered', 'opened']],
    ['click', ['accepted', 'delivered', 'clicked']],
    ['silent', ['accepted']],
    ['anything-else', ['accepted', 'delivered']],
  ])('+%s gives %j within two seconds', async (behaviour, wanted) => {
    const to = `anna+${behaviour}@example.org`
    await send({ to })
    const seen = () =>
      receiver.of(to).map(({ event, severity }) => (typeof severity === 'string' ? `${event}/${severity}` : event))
    await until(() => seen().length >= wanted.length, `${wanted.length} events, saw ${seen().join()}`, 10_000)
    await new Promise((resolve) => setTimeout(resolve, 350))
    expect(seen()).toEqual(wanted)
    // Compares the times in the events, because a busy machine may deliver them late.
    const times = receiver.of(to).map(({ timestamp }) => timestamp)
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(2)
  })

  test('are retried with the same id and signature until they are accepted; 406 ends them', async () => {
    const picky = await startReceiver(({ data }, earlier) =>
      data.recipient === 'never@example.org' ? 406 : earlier < 2 ? 500 : 200,
    )
    await sim('PUT', '/domains/retry.acme.test', { webhooks: { accepted: [picky.url] } })
    for (const to of ['again@example.org', 'never@example.org']) {
      await fetch(`${provider.url}/v3/retry.acme.test/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('api:key-for-tests')}` },
        body: new URLSearchParams({ from: 'a@retry.acme.test', to, text: 'x' }),
      })
    }
    await until(() => picky.of('again@example.org').length === 3, 'two retries')
    const attempts = picky.events.filter(({ data }) => data.recipient === 'again@example.org')
    expect(new Set(attempts.map(({ data, signature }) => `${data.id} ${signature.token}`)).size).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(picky.of('again@example.org')).toHaveLength(3)
    expect(picky.of('never@example.org')).toHaveLength(1)
    await picky.stop()
  })

  test('are held back on request, and sent afterwards', async () => {
    await sim('PUT', '/events', { held_share: 1 })
    await send({ to: 'held@example.org', text: 'x' })
    await until(async () => (await pending()) >= 2, 'accepted and delivered to wait')
    expect(receiver.of('held@example.org')).toEqual([])
    await sim('PUT', '/events', { held_share: 0 })
    await until(() => receiver.of('held@example.org').length === 2, 'two events')
    await until(async () => (await pending()) === 0, 'nothing to be left')
  })

  test('have the trace from a variable of the message, and no header of the messages call', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await send(
      { to: 'traced@example.org', 'v:traceparent': traceparent },
      { headers: { authorization: `Basic ${btoa('api:key-for-tests')}`, traceparent } },
    )
    await until(() => receiver.of('traced@example.org').length === 2, 'two events')
    const event = receiver.events.find(({ data }) => data.recipient === 'traced@example.org')
    expect(event?.data['user-variables']).toMatchObject({ traceparent })
    expect(event?.headers['traceparent']).toBeUndefined()
  })

  test('can be posted one at a time, also with a wrong key', async () => {
    const right = await sim('POST', '/events', {
      connection_webhook_url: receiver.url,
      event: 'permanent_fail',
      recipient: 'made@up.test',
      id: 'fixed-id',
    })
    expect(right.body).toMatchObject({ status: 200, event_id: 'fixed-id' })
    expect(receiver.of('made@up.test')[0]).toMatchObject({ event: 'failed', severity: 'permanent', id: 'fixed-id' })
    const forged = await sim('POST', '/events', {
      connection_webhook_url: receiver.url,
      event: 'delivered',
      signing_key: 'other',
      token: 't'.repeat(50),
    })
    const { timestamp, signature } = forged.body['signature'] as { timestamp: string; signature: string }
    expect(signature).not.toBe(
      createHmac('sha256', 'signing-key')
        .update(timestamp + 't'.repeat(50))
        .digest('hex'),
    )
  })
})
