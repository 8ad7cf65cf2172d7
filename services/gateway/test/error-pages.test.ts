import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { connect } from 'node:net'
import { gatewayStage, newsletter, type GatewayStage } from './gateway-stage.ts'

let gateway: GatewayStage
beforeAll(async () => {
  gateway = await gatewayStage()
})
afterAll(() => gateway.close())

const upsert = `${newsletter}/contacts/upsert`
const post = (body: unknown, headers: Record<string, string> = {}) =>
  gateway.call('POST', upsert, { as: 'editor', body, headers })

function expectPage(answer: { status: number; headers: Headers; text: string }, status: number) {
  expect({ status: answer.status, text: answer.text.slice(0, 400) }).toEqual({
    status,
    text: expect.stringMatching(/^<!doctype html>\n<html lang="en">/),
  })
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(answer.text).toContain(answer.headers.get('x-correlation-id'))
}

describe('every error is an HTML page with the correlation id', () => {
  test('400 for a body that is not JSON in UTF-8', async () => {
    for (const body of ['{', '{"a":}', 'null x', Buffer.from([0x7b, 0xff, 0x7d]), '{"a":1,}', '{"a":NaN}'])
      expectPage(await post(body), 400)
  })

  test('415 for another content type, charset or encoding', async () => {
    const refused: Record<string, string>[] = [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=utf-7' },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-encoding': 'gzip' },
    ]
    for (const headers of refused) expectPage(await post('{}', headers), 415)
    expect((await post('{}', { 'content-type': 'Application/JSON ; charset="UTF-8"' })).status).toBe(422)
  })

  test('413 above the limit, with and without Content-Length, and not at the limit', async () => {
    expectPage(await post(JSON.stringify({ email: 'x'.repeat(1_048_577) })), 413)
    // Much more than the gateway reads. It has an end, so that this client does not use all memory if it continues to send.
    let left = 4_096
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1
        controller.enqueue(new Uint8Array(65_536).fill(32))
        if (left === 0) controller.close()
      },
    })
    const response = await fetch(`${gateway.baseUrl}${upsert}`, {
      method: 'POST',
      headers: { authorization: 'Bearer wallet-session-dev-editor', 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    } as RequestInit).catch(() => undefined)
    if (response) expect(response.status).toBe(413)
    expect((await post(`{"email":"${'x'.repeat(1_048_576 - 12)}"}`)).status).toBe(422)
  })

  test('422 names each offending field', async () => {
    const { status, text } = await post({ email: 'nobody', first_name: 5, tags: 'x', custom_fields: [] })
    expect(status).toBe(422)
    for (const field of [
      'email must be an email address',
      'source is required',
      'first_name must be',
      'tags must be',
      'custom_fields must be',
    ]) {
      expect(text).toContain(field)
    }
    expect(text.match(/<li>/g)).toHaveLength(5)
  })

  test('several invalid custom fields are separate items of a list', async () => {
    const { text } = await post({ email: 'a@b.test', source: 'x', custom_fields: { first_one: 1, '<b>two</b>': 2 } })
    expect(text.match(/<li>/g)).toHaveLength(2)
    expect(text).toContain('<li>custom_fields: &quot;first_one&quot; is not defined. Define the field first.</li>')
    expect(text).not.toContain('<b>')
  })

  test('a single problem is a sentence, not a list, and a pattern is described in words', async () => {
    const { text } = await post({ email: 'a@b.test', source: 'x', country_code: 'Austria' })
    expect(text).toContain('<p>country_code must be a country code of two letters, such as GB.</p>')
    expect(text).not.toContain('<li>')
  })

  test('every refusal has a stable reason for programs, and every 404 the same one', async () => {
    const reason = async (answer: ReturnType<typeof post>) => {
      const { status, headers } = await answer
      return `${status} ${headers.get('x-error-reason')}`
    }
    const workspace = '/api/v1/organizations/acme/workspaces/nowhere'
    expect([
      await reason(post('{')),
      await reason(post('{}', { 'content-type': 'text/plain' })),
      await reason(post({ email: 'nobody', source: 'x' })),
      await reason(post({ email: 'a@b.test', source: 'x', tags: [5] })),
      await reason(gateway.call('POST', upsert, { as: 'analyst', body: {} })),
      await reason(gateway.call('GET', '/api/v1/me')),
      await reason(gateway.call('GET', '/nowhere')),
      await reason(gateway.call('GET', workspace, { as: 'owner' })),
      await reason(gateway.call('PATCH', '/api/v1/me')),
    ]).toEqual([
      '400 malformed_json',
      '415 content_type',
      '422 invalid_email',
      '422 invalid_tags',
      '403 upsert_contacts',
      '401 no_credential',
      '404 not_found',
      '404 not_found',
      '405 method_not_allowed',
    ])
    expect((await gateway.call('GET', '/healthz')).headers.get('x-error-reason')).toBeNull()
  })

  test('422 for a body that is missing, a list, a text or null', async () => {
    expectPage(await gateway.call('POST', upsert, { as: 'editor' }), 422)
    for (const body of ['[]', '"x"', 'null', '5']) expectPage(await post(body), 422)
  })

  test('422 for U+0000 and lone surrogates anywhere, naming the field', async () => {
    for (const [body, field] of [
      ['{"email":"a@b.test","source":"x\\u0000"}', 'source'],
      ['{"email":"a@b.test","source":"x","tags":["ok","\\ud800"]}', 'tags[1]'],
      ['{"email":"a@b.test","source":"x","custom_fields":{"a":{"b":"\\udfff"}}}', 'custom_fields.a.b'],
      ['{"email":"a@b.test","source":"x","unknown":"\\u0000"}', 'unknown'],
    ] as const) {
      const answer = await post(body)
      expectPage(answer, 422)
      expect(answer.text).toContain(field)
    }
    const key = await post('{"email":"a@b.test","source":"x","custom_fields":{"a\\u0000":1}}')
    expectPage(key, 422)
    expect(key.text).toContain('custom_fields')
  })

  test('422 for a body with very many errors names only the first', async () => {
    const tags = (count: number) =>
      post({ email: 'a@b.test', source: 'x', tags: Array.from({ length: count }, () => 1) })
    expect((await tags(60)).text).toContain('tags[1] must be a text')
    const endless = await tags(500_000)
    expectPage(endless, 422)
    expect(endless.text).toMatch(/tags(?:\[0\])? must/)
    expect(endless.text).not.toContain('tags[1]')
  })

  test('422 for more custom fields than a workspace can have, before they are looked up', async () => {
    const fields = (count: number) =>
      post({
        email: 'a@b.test',
        source: 'x',
        custom_fields: Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 1])),
      })
    for (const count of [501, 80_000]) {
      const answer = await fields(count)
      expectPage(answer, 422)
      expect(answer.text).toContain('custom_fields must have at most 500 fields')
    }
    expect((await fields(500)).text).toContain('is not defined')
  })

  test('422 for a number that is too large for a double, naming the field', async () => {
    for (const number of ['1e400', '-1E+999', `1${'0'.repeat(310)}`]) {
      const answer = await post(`{"email":"a@b.test","source":"x","source_metadata":{"a":[1,${number}]}}`)
      expectPage(answer, 422)
      expect(answer.text).toContain('source_metadata.a[1] is a number that is too large')
    }
    const fine = await post('{"email":"a@b.test","source":"x","source_metadata":{"a":[1e300,1e-400,"1e400"]}}')
    expect(fine.status).toBe(200)
  })

  test('422 for depth and for __proto__, and no prototype is touched', async () => {
    expectPage(await post(`{"custom_fields":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), 422)
    expectPage(await post('{"email":"a@b.test","source":"x","custom_fields":{"__proto__":{"polluted":true}}}'), 422)
    expectPage(await post('{"__proto__":{"email":"a@b.test","source":"x"}}'), 422)
    expectPage(await post('{"\\u005f_proto__":{"email":"a@b.test"}}'), 422)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect((await post({ constructor: 1, toString: 2 })).text).toContain('email is required')
  })

  test('422 for query parameters that are missing, repeated, invalid or contain U+0000', async () => {
    for (const [search, words] of [
      ['', 'email is required'],
      ['?email=a@b.test&email=c@d.test', 'email is given more than once'],
      ['?email=nobody', 'email must be an email address'],
      ['?email=a%00@b.test', 'U+0000'],
      ['?email=%zz', 'email must be'],
    ] as const) {
      const answer = await gateway.call('GET', `${newsletter}/contacts/lookup${search}`, { as: 'analyst' })
      expectPage(answer, 422)
      expect(answer.text).toContain(words)
    }
  })

  test('422 for an Idempotency-Key that is missing, too short, too long or not ASCII', async () => {
    const path = `${newsletter}/campaign-drafts/0190a3a0-0000-7000-8000-000000000000/schedule`
    for (const key of [undefined, '', 'x'.repeat(201), 'schlüssel']) {
      const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
      const answer = await gateway.call('POST', path, {
        as: 'editor',
        body: { scheduled_for: '2999-01-01T00:00:00Z' },
        headers,
      })
      expectPage(answer, 422)
      expect(answer.text).toContain('Idempotency-Key')
    }
  })

  test('422 for dates that do not exist', async () => {
    const path = `${newsletter}/campaign-drafts/0190a3a0-0000-7000-8000-000000000000/schedule`
    for (const at of [
      '2035-02-30T10:00:00Z',
      '2035-02-03 10:00:00Z',
      '2035-02-03T10:00:00',
      '0000-01-01T00:00:00Z',
      '2035-01-01T00:00:00+99:99',
      '2035-06-30T23:59:60Z',
      '+275760-09-13T00:00:00Z',
    ]) {
      const answer = await gateway.call('POST', path, {
        as: 'editor',
        body: { scheduled_for: at },
        headers: { 'idempotency-key': 'k' },
      })
      expectPage(answer, 422)
      expect(answer.text).toContain('scheduled_for must be a date and time')
    }
  })

  test('404 and 405', async () => {
    expectPage(await gateway.call('GET', '/nowhere'), 404)
    expectPage(await gateway.call('POST', '/webhooks/mailprovider/x'), 404)
    expectPage(await gateway.call('PATCH', '/api/v1/me'), 405)
  })

  test('503 when a dependency is down', async () => {
    const answer = await gateway.call('GET', `${newsletter}/campaign-runs/0190a3a0-0000-7000-8000-000000000000`, {
      as: 'analyst',
    })
    expectPage(answer, 503)
  })

  test('invalid HTTP, TRACE, and a thousand headers', async () => {
    const raw = (text: string, endAfterMs?: number) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1', () => socket.write(text))
        let got = ''
        socket.on('data', (chunk: Buffer) => {
          got += chunk.toString()
          socket.end()
        })
        socket.on('close', () => resolve(got))
        socket.on('error', reject)
        if (endAfterMs !== undefined) setTimeout(() => socket.end(), endAfterMs)
      })
    expect(await raw('TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 405/)
    expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400/)
    expect(
      await raw(`GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'X-A: b\r\n'.repeat(1_000)}\r\n`),
    ).toMatch(/^HTTP\/1\.1 (?:200|431)/)
    expect(
      await raw(
        `POST ${upsert} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wallet-session-dev-editor\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a"`,
        300,
      ),
    ).not.toMatch(/^HTTP\/1\.1 5/)
    expect((await gateway.call('GET', '/healthz')).status).toBe(200)
  })
})

describe('correlation ids', () => {
  test('are kept when well formed, otherwise generated, and are on every answer', async () => {
    const of = async (given: string) =>
      (await gateway.call('GET', '/healthz', { headers: { 'x-correlation-id': given } })).headers.get(
        'x-correlation-id',
      )
    expect(await of('abc.DEF_1-2')).toBe('abc.DEF_1-2')
    for (const given of ['short', 'x'.repeat(129), 'has blank inside', '<script>alert(1)</script>'])
      expect(await of(given)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
