import { afterEach, expect, jest, test } from '@jest/globals'
import { gauge, labelledGauge } from '../src/gauge.ts'
import { createService, serveHealth, type Service } from '../src/service.ts'

const services: Service[] = []
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop()
})

async function opened(role = '') {
  const service = createService('test', { logLevel: 'silent', role })
  services.push(service)
  const { port } = await service.use(serveHealth(service, 0))
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
  }
  return { service, get }
}

test('a process is alive with its name and role, whatever the query says', async () => {
  const { get } = await opened('worker')
  for (const path of ['/healthz', '/healthz?verbose=1'])
    expect(await get(path)).toEqual({
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ status: 'ok', service: 'test', role: 'worker' }),
    })
})

test('every failing check is listed, and those that pass are not', async () => {
  const { service, get } = await opened()
  service.readiness('nats', () => Promise.reject(new Error('gone')))
  service.readiness('database', () => Promise.resolve())
  service.readiness('provider', () => {
    throw new Error('thrown, not rejected')
  })
  const { status, body } = await get('/readyz')
  expect(status).toBe(503)
  expect(JSON.parse(body)).toEqual({ status: 'unavailable', failed: ['nats', 'provider'] })
})

test('a process gets requests while a dependency does not answer, and no more when it stops', async () => {
  const { service, get } = await opened()
  service.readiness('started', () => Promise.resolve())
  service.readiness('nats', () => Promise.reject(new Error('gone')))
  expect((await get('/readyz')).status).toBe(503)
  expect((await get('/readyz/process')).status).toBe(200)
  service.readiness('gateway service: stopping', () => Promise.reject(new Error('stopping')))
  expect(await get('/readyz/process')).toMatchObject({
    status: 503,
    body: JSON.stringify({ status: 'unavailable', failed: ['gateway service: stopping'] }),
  })
})

test('a process is ready again once its checks pass, and a check is replaced by one of the same name', async () => {
  const { service, get } = await opened()
  service.readiness('nats', () => Promise.reject(new Error('gone')))
  expect((await get('/readyz')).status).toBe(503)
  service.readiness('nats', () => Promise.resolve())
  expect(await get('/readyz')).toMatchObject({ status: 200, body: JSON.stringify({ status: 'ok', failed: [] }) })
})

test('a check that hangs counts as failed after a second and a half, and does not hold up the answer', async () => {
  const { service, get } = await opened()
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'setInterval', 'clearInterval'] })
  try {
    const asked = Promise.withResolvers<void>()
    service.readiness('provider', () => {
      asked.resolve()
      return new Promise(() => undefined)
    })
    const answer = get('/readyz')
    await asked.promise
    await jest.advanceTimersByTimeAsync(1_500)
    expect(JSON.parse((await answer).body)).toEqual({ status: 'unavailable', failed: ['provider'] })
  } finally {
    jest.useRealTimers()
  }
})

test('a check that throws or rejects leaves no timer, whose rejection would end the process', async () => {
  const { service, get } = await opened()
  const set = jest.spyOn(globalThis, 'setTimeout')
  const clear = jest.spyOn(globalThis, 'clearTimeout')
  try {
    service.readiness('thrown', () => {
      throw new Error('thrown')
    })
    service.readiness('rejected', () => Promise.reject(new Error('rejected')))
    service.readiness('passed', () => Promise.resolve())
    expect(JSON.parse((await get('/readyz')).body)).toMatchObject({ failed: ['thrown', 'rejected'] })
    // Other timers, such as those of the HTTP client, may be set meanwhile: only those of the checks count.
    const timers = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === 1_500).map(({ value }) => value)
    expect(timers).toHaveLength(3)
    const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer))
    expect(timers.filter((timer) => !cleared.has(timer))).toHaveLength(0)
  } finally {
    jest.restoreAllMocks()
  }
})

test('metrics carry the name and the role of the process', async () => {
  const { service, get } = await opened('worker')
  gauge(service, { name: 'queue_size', help: 'x', read: () => Promise.resolve(7) })
  const { status, body } = await get('/metrics')
  expect(status).toBe(200)
  expect(body).toMatch(/^queue_size\{service="test",role="worker"\} 7$/m)
})

test('a gauge whose source is away has no value, and has one again when the source is back', async () => {
  const { service, get } = await opened()
  let isAway = false
  gauge(service, {
    name: 'queue_size',
    help: 'x',
    read: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(7)),
  })
  gauge(service, { name: 'other_size', help: 'x', read: () => Promise.resolve(1) })
  expect((await get('/metrics')).body).toMatch(/^queue_size\{.*\} 7$/m)
  isAway = true
  const { status, body } = await get('/metrics')
  expect(status).toBe(200)
  expect(body).not.toMatch(/^queue_size\{/m)
  expect(body).toMatch(/^other_size\{.*\} 1$/m)
  isAway = false
  expect((await get('/metrics')).body).toMatch(/^queue_size\{.*\} 7$/m)
})

test('a gauge with labels has a value for each set that was read last, also when two scrapes come at once', async () => {
  const { service, get } = await opened()
  let sizes: { queue: string; value: number }[] | undefined = [
    { queue: 'a', value: 1 },
    { queue: 'b', value: 2 },
  ]
  labelledGauge(service, {
    name: 'queue_size',
    help: 'x',
    labelNames: ['queue'],
    read: () => (sizes ? Promise.resolve(sizes) : Promise.reject(new Error('away'))),
  })
  const lines = async () =>
    [...(await get('/metrics')).body.matchAll(/^queue_size\{queue="(\w)",.*\} (\d)$/gm)].map(
      ([, queue, value]) => `${queue}${value}`,
    )
  expect(await Promise.all([lines(), lines(), lines()])).toEqual(Array(3).fill(['a1', 'b2']))
  sizes = [{ queue: 'b', value: 3 }]
  expect(await lines()).toEqual(['b3'])
  sizes = undefined
  expect(await lines()).toEqual([])
})

test('metrics are OpenMetrics, which can have exemplars', async () => {
  const { get } = await opened()
  const { type, body } = await get('/metrics')
  expect(type).toMatch(/^application\/openmetrics-text; version=1\.0\.0/)
  expect(body).toMatch(/# EOF\n$/)
})

test.each(['/', '/health', '/healthz/', '/metrics/x', '//healthz'])('there is nothing at %s', async (path) => {
  expect((await (await opened()).get(path)).status).toBe(404)
})

test('a stopped process answers no more, also on connections that were kept', async () => {
  const { service, get } = await opened()
  await get('/healthz')
  await service.stop()
  await expect(get('/healthz')).rejects.toThrow()
})

test('the HTTP ports can have another address than gRPC, which stays on loopback', async () => {
  const service = createService('test', { logLevel: 'silent', httpBindAddress: '127.0.0.2' })
  services.push(service)
  expect(service.bindAddress).toBe('127.0.0.1')
  const { port } = await service.use(serveHealth(service, 0))
  expect((await fetch(`http://127.0.0.2:${port}/healthz`)).status).toBe(200)
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow('fetch failed')
})
