import { afterEach, expect, test } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import type { Listening } from '../listen.ts'
import { startTraces } from '../traces/traces.ts'

let traces: Listening | undefined
afterEach(async () => {
  await traces?.stop()
  traces = undefined
})

const traceId = (number: number) => number.toString(16).padStart(32, '0')
const spanId = (number: number) => number.toString(16).padStart(16, '0')

interface Given {
  trace?: number
  id: number
  parent?: number
  name?: string
  atMs?: number
  tookMs?: number
}
const span = ({ trace = 1, id, parent, name = `span ${id}`, atMs = id, tookMs = 1 }: Given) => ({
  traceId: traceId(trace),
  spanId: spanId(id),
  ...(parent === undefined ? {} : { parentSpanId: spanId(parent) }),
  name,
  kind: 2,
  startTimeUnixNano: String(1_800_000_000_000_000_000n + BigInt(atMs) * 1_000_000n),
  endTimeUnixNano: String(1_800_000_000_000_000_000n + BigInt(atMs + tookMs) * 1_000_000n),
  attributes: [
    { key: 'http.response.status_code', value: { intValue: '200' } },
    { key: 'tags', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
  ],
  status: { code: id === 3 ? 2 : 0 },
})
const exported = (...spans: object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: { stringValue: 'gateway' } }] },
      scopeSpans: [{ scope: { name: 'x' }, spans }],
    },
  ],
})
const send = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${traces!.url}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : typeof body === 'string' ? body : JSON.stringify(body),
  })

test('spans of one trace are listed in order of their start, in any order of arrival', async () => {
  traces = await startTraces()
  expect((await send(exported(span({ id: 3, parent: 2 }), span({ id: 2, parent: 1 })))).status).toBe(200)
  await send(gzipSync(JSON.stringify(exported(span({ id: 1, tookMs: 12 })))), { 'content-encoding': 'gzip' })
  const told = await (await fetch(`${traces.url}/api/traces/${traceId(1)}`)).json()
  expect(told).toMatchObject({
    trace_id: traceId(1),
    spans: [
      { span_id: spanId(1), parent_span_id: null, service: 'gateway', kind: 'server', duration_ms: 12, status: 'ok' },
      { span_id: spanId(2), parent_span_id: spanId(1), attributes: { 'http.response.status_code': 200 } },
      { span_id: spanId(3), parent_span_id: spanId(2), status: 'error', attributes: { tags: ['a', 'b'] } },
    ],
  })
})

test('an unknown trace is 404, and so is any other address', async () => {
  traces = await startTraces()
  for (const path of [`/api/traces/${traceId(9)}`, `/traces/${traceId(9)}`, '/traces/%3Cb%3E', '/nothing']) {
    expect((await fetch(`${traces.url}${path}`)).status).toBe(404)
  }
})

test('an invalid export is refused with a reason, and nothing is stored', async () => {
  traces = await startTraces()
  const bad = [
    [],
    { resourceSpans: {} },
    exported({}),
    exported({ ...span({ id: 1 }), traceId: 'zz' }),
    exported({ ...span({ id: 1 }), startTimeUnixNano: '-1' }),
    exported({ ...span({ id: 1 }), attributes: [null] }),
    '{',
  ]
  for (const body of bad) expect((await send(body)).status).toBe(400)
  expect((await send('x', { 'content-type': 'application/x-protobuf' })).status).toBe(415)
  expect(await (await fetch(`${traces.url}/metrics`)).text()).toMatch(/^spans 0$/m)
})

test('memory is bounded: the newest spans are kept, the oldest are deleted', async () => {
  traces = await startTraces({ spansMax: 100 })
  for (let number = 1; number <= 250; number += 1) await send(exported(span({ trace: number, id: number })))
  const kept = Number(/^spans (\d+)$/m.exec(await (await fetch(`${traces.url}/metrics`)).text())?.[1])
  expect(kept).toBeGreaterThanOrEqual(50)
  expect(kept).toBeLessThanOrEqual(100)
  expect((await fetch(`${traces.url}/api/traces/${traceId(250)}`)).status).toBe(200)
  expect((await fetch(`${traces.url}/api/traces/${traceId(1)}`)).status).toBe(404)
})

test('the pages show every span, escape all values and run no script', async () => {
  traces = await startTraces()
  expect(await (await fetch(traces.url)).text()).toContain('No traces yet')
  await send(
    exported(
      span({ id: 1, name: '<script>alert(1)</script>' }),
      span({ id: 3, parent: 1 }),
      span({ id: 5, parent: 4 }),
    ),
  )
  for (const path of ['/', `/traces/${traceId(1)}`]) {
    const answer = await fetch(`${traces.url}${path}`)
    const html = await answer.text()
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(html).toContain('&lt;script&gt;')
    expect(html).not.toContain('<script')
  }
  const html = await (await fetch(`${traces.url}/traces/${traceId(1)}`)).text()
  expect(html).toContain('span 3')
  expect(html).toContain('span 5')
  expect(html).toContain('failed')
})

test('a cycle of parent spans does not block the page', async () => {
  traces = await startTraces()
  await send(exported(span({ id: 1, parent: 2 }), span({ id: 2, parent: 1 }), span({ id: 7, parent: 7 })))
  expect((await fetch(`${traces.url}/traces/${traceId(1)}`)).status).toBe(200)
  expect((await fetch(`${traces.url}/`)).status).toBe(200)
})

test('it is live and ready as soon as it listens', async () => {
  traces = await startTraces()
  for (const path of ['/healthz', '/readyz']) expect((await fetch(`${traces.url}${path}`)).status).toBe(200)
})
