import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '@lettergate/stage'
import { startMailProvider, type LocalMailProvider } from '../mail-provider/mail-provider.ts'

let provider: LocalMailProvider
let directory: string
const start = () =>
  startMailProvider({
    apiKey: 'key',
    signingKey: 'signing',
    stateFile: join(directory, 'provider.json'),
    messagesMax: 5,
  })

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'provider-'))
  provider = await start()
})
afterEach(async () => {
  await provider.stop()
  rmSync(directory, { recursive: true })
})

const put = (path: string, body: unknown) =>
  fetch(`${provider.url}/sim/${path}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const get = async (path: string) =>
  (await (await fetch(`${provider.url}/sim/${path}`)).json()) as Record<string, unknown>
const received = async (to: string) =>
  ((await get(`messages?to=${encodeURIComponent(to)}`))['messages'] as { subject: string }[]).length

const send = (fields: Record<string, string>, body?: FormData, withinMs = 20_000, leaving?: AbortSignal) =>
  fetch(`${provider.url}/v3/mail.acme.test/messages`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('api:key')}` },
    body: body ?? new URLSearchParams({ from: 'news@mail.acme.test', subject: 'S', text: 'T', ...fields }),
    signal: AbortSignal.any([AbortSignal.timeout(withinMs), ...(leaving ? [leaving] : [])]),
  })

describe('faults', () => {
  test('of one domain do not affect the others, and are removed by faults for all', async () => {
    await put('domains/other.acme.test', {})
    await put('faults', { mode: 'server_error', domain: 'Other.acme.test' })
    const sendFrom = (domain: string) =>
      fetch(`${provider.url}/v3/${domain}/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('api:key')}` },
        body: new URLSearchParams({ from: `news@${domain}`, to: 'a@example.org', subject: 'S', text: 'T' }),
      }).then(({ status }) => status)
    expect([await sendFrom('other.acme.test'), await sendFrom('mail.acme.test')]).toEqual([500, 200])
    await put('faults', { mode: 'none' })
    expect(await sendFrom('other.acme.test')).toBe(200)
  })

  test('the concurrent calls are counted by domain', async () => {
    await put('faults', { mode: 'timeout' })
    const leaving = new AbortController()
    const hanging = ['a', 'b', 'c'].map((to) =>
      send({ to: `${to}@example.org` }, undefined, 600_000, leaving.signal).catch(() => 'given up'),
    )
    const mostAtOnce = async () => (await get('stats'))['most_at_once'] as Record<string, number>
    await until(async () => (await mostAtOnce())['mail.acme.test'] === 3)
    leaving.abort()
    expect(await Promise.all(hanging)).toEqual(['given up', 'given up', 'given up'])
    await put('faults', { mode: 'none' })
    await send({ to: 'd@example.org' })
    expect(await mostAtOnce()).toEqual({ 'mail.acme.test': 3 })
  })

  test('an answer can be much later than the effect of its call, which also applies after the caller has disconnected', async () => {
    await put('faults', { mode: 'none', answer_after_ms: 60_000 })
    const leaving = new AbortController()
    const call = send({ to: 'late@example.org' }, undefined, 600_000, leaving.signal).catch(() => 'left')
    await until(async () => (await received('late@example.org')) === 1)
    leaving.abort()
    expect(await call).toBe('left')
    await put('faults', { mode: 'none' })
    expect((await send({ to: 'soon@example.org' })).status).toBe(200)
    expect(await received('late@example.org')).toBe(1)
  })

  test('after the given number of calls, every call for messages fails and no other call does', async () => {
    await put('faults', { mode: 'rate_limit', after_calls: 2 })
    const statuses: number[] = []
    for (const to of ['a', 'b', 'c', 'd']) statuses.push((await send({ to: `${to}@example.org` })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
    const domain = await fetch(`${provider.url}/v4/domains/mail.acme.test`, {
      headers: { authorization: `Basic ${btoa('api:key')}` },
    })
    expect(domain.status).toBe(200)
    await put('faults', { mode: 'none' })
    expect((await send({ to: 'e@example.org' })).status).toBe(200)
  })

  test.each([
    ['rate_limit', 429],
    ['server_error', 500],
  ])('%s answers %i and accepts nothing', async (mode, status) => {
    await put('faults', { mode })
    const res = await send({ to: 'a@example.org' })
    expect(res.status).toBe(status)
    if (status === 429) expect(Number(res.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await received('a@example.org')).toBe(0)
  })

  test('timeout never answers and accepts nothing', async () => {
    await put('faults', { mode: 'timeout' })
    await expect(send({ to: 'a@example.org' }, undefined, 700)).rejects.toThrow('timeout')
    expect(await received('a@example.org')).toBe(0)
  })

  test.each(['reset_after_accept', 'accept_then_timeout', 'truncated'])(
    '%s gives no readable answer, yet the message is accepted once',
    async (mode) => {
      await put('faults', { mode })
      const leaving = new AbortController()
      const answer = send({ to: 'a@example.org' }, undefined, 600_000, leaving.signal)
        .then((res) => res.json())
        .then(
          () => 'readable',
          () => 'unreadable',
        )
      await until(async () => (await received('a@example.org')) === 1)
      if (mode === 'accept_then_timeout') leaving.abort()
      expect(await answer).toBe('unreadable')
      expect(await received('a@example.org')).toBe(1)
      await put('faults', { mode: 'none' })
      expect((await send({ to: 'b@example.org' })).status).toBe(200)
      expect(await get('stats')).toMatchObject({ calls: 2, accepted: 2, recipients: 2, faults: 1 })
    },
  )

  test('latency delays a call, so that a later call is answered first', async () => {
    await put('faults', { mode: 'none', latency_ms: 600_000 })
    const leaving = new AbortController()
    const slow = send({ to: 'slow@example.org' }, undefined, 600_000, leaving.signal).catch(() => 'left')
    await until(async () => (await get('stats'))['calls'] === 1)
    await put('faults', { mode: 'none', latency_ms: 0 })
    const first = await Promise.race([slow, send({ to: 'quick@example.org' }).then(() => 'quick')])
    expect([first, await received('slow@example.org')]).toEqual(['quick', 0])
    leaving.abort()
    expect(await slow).toBe('left')
    await put('faults', { mode: 'none', latency_ms: 1 })
    expect((await send({ to: 'late@example.org' })).status).toBe(200)
  })

  test('a rate makes only a share of the calls fail', async () => {
    await put('faults', { mode: 'server_error', rate: 0.5 })
    const statuses = await Promise.all(
      Array.from({ length: 60 }, async () => (await send({ to: 'a@example.org' })).status),
    )
    expect(statuses).toContain(200)
    expect(statuses).toContain(500)
  })

  test('an unknown mode is refused', async () => {
    expect((await put('faults', { mode: 'explode' })).status).toBe(400)
  })
})

describe('messages', () => {
  test.each([
    ['no recipient', { to: '' }, 400],
    ['no address', { to: 'not an address' }, 400],
    ['variables that are no JSON', { to: 'a@example.org', 'recipient-variables': '{' }, 400],
    ['over 1,000 recipients', { to: Array.from({ length: 1001 }, (_, n) => `r${n}@example.org`).join(',') }, 400],
  ])('%s is refused', async (_name, fields, status) => {
    expect((await send(fields)).status).toBe(status)
    expect(await get('stats')).toMatchObject({ accepted: 0 })
  })

  test('an unknown domain is 404, an unverified one 403', async () => {
    const to = (domain: string) =>
      fetch(`${provider.url}/v3/${domain}/messages`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa('api:key')}` },
        body: new URLSearchParams({ from: 'a@b.test', to: 'c@d.test', text: 'x' }),
      })
    expect((await to('nobody.test')).status).toBe(404)
    expect((await to('pending.acme.test')).status).toBe(403)
  })

  test('multipart works like urlencoded, with repeated recipients', async () => {
    const form = new FormData()
    for (const [name, value] of [
      ['from', 'news@mail.acme.test'],
      ['to', 'a@example.org'],
      ['to', '"Last, First" <b@example.org>'],
      ['subject', 'Überraschung %recipient.n%'],
      ['html', `<p>${'ä'.repeat(1_200_000)}</p>`],
      ['recipient-variables', '{"a@example.org":{"n":1},"b@example.org":{"n":"zwei"}}'],
    ] as const) {
      form.append(name, value)
    }
    expect((await send({}, form)).status).toBe(200)
    const [first] = (await get('messages?to=b@example.org'))['messages'] as {
      subject: string
      headers: Record<string, string>
      html: string
    }[]
    expect(first).toMatchObject({ subject: 'Überraschung zwei', headers: { To: 'Last, First <b@example.org>' } })
    expect(first?.html).toHaveLength(1_200_007)
  })

  test('the ledger has every accepted call in its order, with its time and recipients', async () => {
    const began = Date.now()
    await put('faults', { mode: 'none', latency_ms: 50 })
    await send({ to: 'a@example.org, b@example.org', 'v:message_id': 'm-%recipient%' })
    await put('faults', { mode: 'server_error' })
    await send({ to: 'refused@example.org' })
    await put('faults', { mode: 'none' })
    await send({ to: 'c@example.org' })
    const { calls } = (await get('calls?messages=true')) as { calls: Record<string, number>[] }
    expect(calls).toMatchObject([
      {
        number: 0,
        domain: 'mail.acme.test',
        recipients: 2,
        messages: [
          { to: 'a@example.org', variables: { message_id: 'm-a@example.org' } },
          { to: 'b@example.org', variables: { message_id: 'm-b@example.org' } },
        ],
      },
      { number: 1, recipients: 1 },
    ])
    expect(calls[0]!['arrived_at']).toBeGreaterThanOrEqual(began)
    expect(calls[0]!['accepted_at']).toBeGreaterThan(calls[0]!['arrived_at']!)
    const after = (await get('calls?after=0')) as { calls: object[] }
    expect(after.calls).toEqual([expect.not.objectContaining({ messages: expect.anything() })])
    expect(after.calls).toMatchObject([{ number: 1 }])
    expect(await get('calls?limit=1')).toMatchObject({ calls: [{ number: 0 }] })
  })

  test('only the newest are kept, and old ones are deleted by call', async () => {
    for (const round of ['1', '2', '3'])
      await send({ to: `a${round}@example.org, b${round}@example.org`, subject: round })
    const kept = (await get('messages'))['messages'] as { subject: string }[]
    expect(kept.map(({ subject }) => subject)).toEqual(['3', '3', '2', '2'])
    await fetch(`${provider.url}/sim/messages`, { method: 'DELETE' })
    expect((await get('messages'))['messages']).toEqual([])
  })
})

test('domains, webhooks and zones are kept after a restart', async () => {
  await put('domains/mail.new.test', {
    state: 'unverified',
    dkim_selector: 's7',
    webhooks: { opened: ['https://a.example/'] },
  })
  await put('dns/mail.acme.test', { records: [{ type: 'TXT', name: '@', value: 'v=spf1 -all' }] })
  await provider.stop()
  provider = await start()
  expect(await (await put('domains/mail.new.test', {})).json()).toEqual({
    domain: {
      name: 'mail.new.test',
      state: 'unverified',
      dkim_selector: 's7',
      dns: 'ok',
      webhooks: { opened: ['https://a.example/'] },
    },
  })
  expect(provider.zones.zone('mail.acme.test')).toEqual([{ type: 'TXT', name: 'mail.acme.test', value: 'v=spf1 -all' }])
})
