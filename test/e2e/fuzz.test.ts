import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Agent, request as httpRequest } from 'node:http'
import { loadDocument } from '@lettergate/gateway/load-document'
import { openConstellation, type Constellation } from './constellation.ts'
import { nastyBodies, nastyHeaders, nastySegments, nastyValues } from './nasty.ts'

interface Answer {
  status: number
  type: string
  correlationId: string | undefined
  body: string
}

let all: Constellation
const owner = { authorization: 'Bearer wallet-session-dev-owner' }

const kept = new Agent({ keepAlive: true })

/** Sends raw requests, because fetch refuses many of them. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(all.baseUrl)
    const sent = httpRequest({ hostname, port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          type: String(response.headers['content-type']),
          correlationId: response.headers['x-correlation-id'] as string | undefined,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
      // The server may have closed a kept connection before the request.
      else if (sent.reusedSocket) resolve(send(method, path, headers, body))
      // A server may close the connection during an oversized body; its answer is checked.
      else resolve({ status: 0, type: 'closed', correlationId: undefined, body: '' })
    })
    sent.end(body)
  })
}

/** How often a request is repeated that a busy machine refuses with 503: a call or a check exceeded its timeout. */
const unavailableMax = 10

/** Sends the request, and fails if the answer is none that a caller should get. A 503 must end when the request is repeated. */
async function check(what: string, ...request: Parameters<typeof send>) {
  let answer = await send(...request)
  for (let tries = 1; answer.status === 503 && tries < unavailableMax; tries += 1) answer = await send(...request)
  if (answer.status === 0) return
  const problems = [
    answer.status >= 500 && `status ${answer.status}`,
    answer.status >= 400 && !answer.type.startsWith('text/html') && `type ${answer.type}`,
    answer.status >= 400 && !answer.correlationId && 'no X-Correlation-ID',
    /\bat .*\.ts:\d+|node_modules|select .* from |ECONN/i.test(answer.body) &&
      answer.status >= 400 &&
      'internals in the page',
  ].filter(Boolean)
  if (problems.length > 0) throw new Error(`${what}: ${problems.join(', ')}\n${answer.body.slice(0, 500)}`)
}

const concrete = (path: string, segment?: string) =>
  path
    .replace('{organization_slug}', 'acme')
    .replace('{workspace_slug}', 'newsletter')
    .replace(/\{[^}]+\}/g, segment ?? '0198c0de-0000-7000-8000-000000000000')

const { paths, components } = loadDocument('public')
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const schema = operation.requestBody?.content['application/json']?.schema
    const name = String(schema?.['$ref']).split('/').at(-1)!
    const { properties = {} } = (components.schemas[name] ?? schema ?? {}) as { properties?: object }
    return { operationId: operation.operationId, method: method.toUpperCase(), path, fields: Object.keys(properties) }
  }),
)

beforeAll(async () => {
  all = await openConstellation({
    ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true',
    RATE_LIMIT_PREFERENCES_PER_MINUTE: '1000000',
    RATE_LIMIT_SIGN_IN_PER_MINUTE: '1000000',
  })
})
afterAll(async () => {
  kept.destroy()
  await all.close()
})

test('the fuzz calls every operation of the served document', async () => {
  const served = (await (await fetch(`${all.baseUrl}/api/v1/openapi.json`)).json()) as { paths: typeof paths }
  const ids = Object.values(served.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
  expect(operations.map(({ operationId }) => operationId)).toEqual(ids)
  expect(ids.length).toBeGreaterThan(25)
})

// One test for each operation, because the time limit holds for a test, and a busy machine needs minutes for all of them.
test.each(operations.filter(({ fields }) => fields.length > 0))(
  'no value in any field of $operationId is answered with a 5xx',
  async ({ operationId, method, path, fields }) => {
    const headers = { ...owner, 'content-type': 'application/json', 'idempotency-key': 'fuzz-key-000001' }
    for (const field of fields) {
      for (const value of nastyValues) {
        const others = Object.fromEntries(
          fields.filter((other) => other !== field).map((other) => [other, plausible(other)]),
        )
        const body = JSON.stringify({ ...others, [field]: value })
        const what = `${operationId} ${field}=${JSON.stringify(value)?.slice(0, 60)}`
        await check(what, method, concrete(path), headers, body, kept)
      }
    }
  },
)

const nastyQueries = [
  '?email=a&email=b',
  '?email=%00',
  '?email=%zz',
  `?email=${'x'.repeat(10_000)}`,
  '?__proto__[x]=1',
  '?'.repeat(100),
]

test.each(operations)(
  'no body, path, header or query to $operationId is answered with a 5xx',
  async ({ operationId, method, path }) => {
    const json = { ...owner, 'content-type': 'application/json' }
    for (const { body, type } of nastyBodies) {
      const headers = { ...json, ...(type && { 'content-type': type }), 'idempotency-key': 'fuzz-key-000001' }
      const what = `${operationId} body ${String(body).slice(0, 40)}`
      await check(what, method, concrete(path), headers, body)
    }
    for (const segment of nastySegments)
      await check(`${operationId} path ${segment.slice(0, 40)}`, method, concrete(path, segment), json, '{}')
    for (const headers of nastyHeaders) {
      const what = `${operationId} headers ${JSON.stringify(headers).slice(0, 60)}`
      const body = headers['content-length'] ? '{"a"}' : '{}'
      await check(what, method, concrete(path), { ...json, ...headers }, body)
    }
    for (const query of nastyQueries)
      await check(`${operationId} query ${query.slice(0, 40)}`, method, concrete(path) + query, owner)
  },
)

test('no method and no malformed HTTP is answered with a 5xx', async () => {
  for (const method of ['TRACE', 'CONNECT', 'PROPFIND', 'HEAD', 'OPTIONS', 'QUERY']) {
    if (method === 'CONNECT') continue
    for (const path of [
      '/',
      '/api/v1/me',
      '/api/v1/nothing',
      '/preferences/x',
      '/webhooks/mailprovider/x',
      '/console/api/platform/gates',
    ])
      await check(`${method} ${path}`, method, path, owner)
  }
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x-h-${index}`, 'v']))
  await check('1,000 headers', 'GET', '/api/v1/me', { ...owner, ...many })
})

/** A valid value of the field, so that the validation reaches the invalid value of another field. */
function plausible(field: string): unknown {
  if (/email|from_address|reply_to/.test(field)) return 'someone@example.com'
  if (field.endsWith('_id')) return '0198c0de-0000-7000-8000-000000000000'
  if (/slug/.test(field)) return `s-${Math.floor(performance.now() * 1_000)}`
  if (/scheduled_for/.test(field)) return '2035-01-01T10:00:00Z'
  if (field === 'scope') return 'workspace'
  if (field === 'reason') return 'manual'
  if (field === 'html') return '<p>Hello</p>'
  if (/env_key/.test(field)) return 'MAILPROVIDER_API_KEY'
  if (field === 'region') return 'us'
  if (field === 'country_code') return 'SE'
  if (/custom_fields|evidence|metadata|defaults/.test(field)) return {}
  if (field === 'tags') return []
  if (/^is_|reviewed/.test(field)) return true
  if (/seconds/.test(field)) return 0
  if (field.endsWith('_state')) return 'verified'
  if (field === 'confirmation') return 'ACTIVATE PRODUCTION SENDING'
  if (field === 'domain_name') return 'mail.acme.test'
  return 'text'
}
