import { afterEach, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { freePort } from '@lettergate/stage/ports'
import { runningMax } from '../src/frames.ts'
import { caller, range, replica } from './exchange-fixture.ts'

const opened: { stop(): Promise<void> }[] = []
const opens = async <T extends { stop(): Promise<void> }>(part: Promise<T>): Promise<T> => {
  const started = await part
  opened.push(started)
  return started
}
afterEach(async () => {
  for (const part of opened.splice(0).toReversed()) await part.stop()
})

test('each of many simultaneous calls gets its own answer, Faults and unexpected errors included', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  const asked = await Promise.allSettled(
    range(3_000).map((n) => ask(n % 3 === 0 ? `fault@${n}` : n % 3 === 1 ? `fine@${n}` : `bug@${n}`)),
  )
  for (const [n, outcome] of asked.entries()) {
    if (n % 3 === 1) expect(outcome).toMatchObject({ value: { email: `fine@${n}` } })
    else if (n % 3 === 0)
      expect(outcome).toMatchObject({ reason: { code: 'conflict', reason: 'ünï', message: `not fault@${n}` } })
    else expect((outcome as PromiseRejectedResult).reason.message).toMatch(/failed: internal error$/)
  }
  expect(server.arrivals).toHaveLength(3_000)
})

test('a call without an answer ends at its deadline on both sides, and other calls continue', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  await ask('fine@0') // the connection is open, so that calls with a short deadline arrive
  const hanging = Promise.allSettled(range(20).map((n) => ask(`hold@${n}`, { forMs: 1_000 })))
  await expect(ask('fine@1')).resolves.toMatchObject({ email: 'fine@1' })
  for (const outcome of await hanging) expect(outcome).toMatchObject({ reason: { code: 'unavailable' } })
  await until(() => server.arrivals.filter(({ signal }) => signal.aborted).length === 20, {
    what: 'all calls were aborted',
  })
  for (const arrival of server.arrivals) arrival.release()
  await expect(ask('fine@2')).resolves.toMatchObject({ email: 'fine@2' })
})

test('a caller that cancels is answered at once, and the server aborts the call', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  const aborter = new AbortController()
  const call = ask('hold@1', { signal: aborter.signal })
  await until(() => server.arrivals.length === 1, { what: 'the call arrived' })
  aborter.abort()
  await expect(call).rejects.toMatchObject({ code: 'unavailable' })
  await until(() => server.arrivals[0]!.signal.aborted, { what: 'the server aborted the call' })
  await expect(ask('fine@1', { signal: aborter.signal })).rejects.toMatchObject({ code: 'unavailable' })
  expect(server.arrivals).toHaveLength(1)
})

test('a server runs a limited number of calls of one stream; other calls wait in the client until their deadlines', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  const first = Promise.all(range(runningMax).map((n) => ask(`hold@${n}`)))
  await until(() => server.arrivals.length === runningMax, { what: 'the maximum number of calls' })
  await expect(ask('late@1', { forMs: 100 })).rejects.toMatchObject({ code: 'unavailable' })
  const waiting = ask('waiting@1')
  expect(server.arrivals).toHaveLength(runningMax)
  for (const arrival of server.arrivals) arrival.release()
  await first
  await expect(waiting).resolves.toMatchObject({ email: 'waiting@1' })
  expect(server.arrivals.map(({ email }) => email)).not.toContain('late@1')
})

test('large requests and replies arrive complete, and small ones are answered in between', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  const longTimeout = { forMs: 40_000 }
  const order: string[] = []
  const recorded = async (name: string, call: Promise<unknown>) => {
    await call
    order.push(name)
  }
  await ask('fine@0')
  const long = `fine@${'y'.repeat(2_000_000)}`
  const large = recorded(
    'large',
    ask('large-8000000@1', longTimeout).then(({ firstName }) => expect(firstName).toHaveLength(8_000_000)),
  )
  const upload = recorded(
    'upload',
    ask(long, longTimeout).then(({ email }) => expect(email).toBe(long)),
  )
  await until(() => server.arrivals.some(({ email }) => email.startsWith('large')), { what: 'the large call arrived' })
  await Promise.all([large, upload, ...range(20).map((n) => recorded('small', ask(`fine@${n}`, longTimeout)))])
  expect(order.indexOf('small')).toBeLessThan(order.indexOf('large'))
  await expect(ask('large-17000000@1', longTimeout)).rejects.toThrow(/16 MiB/)
  await expect(ask('fine@1')).resolves.toMatchObject({ email: 'fine@1' })
})

test('calls wait for a server that has not started yet or that restarts', async () => {
  const port = await freePort()
  const { ask } = await opens(caller(port))
  const early = ask('early@1')
  const first = await replica(port)
  await expect(early).resolves.toMatchObject({ email: 'early@1' })
  await first.stop()
  const between = ask('between@1')
  await expect(ask('hasty@1', { forMs: 50 })).rejects.toMatchObject({ code: 'unavailable' })
  const second = await opens(replica(port))
  await expect(between).resolves.toMatchObject({ email: 'between@1' })
  expect(second.arrivals.map(({ email }) => email)).toEqual(['between@1'])
})

test('a server that stops answers its calls in progress, and new calls go to the next server', async () => {
  const port = await freePort()
  const first = await replica(port)
  const { ask } = await opens(caller(port))
  const held = ask('hold@1')
  await until(() => first.arrivals.length === 1, { what: 'the call arrived' })
  const stopping = first.stop()
  const second = await opens(replica(port))
  await expect(ask('meanwhile@1')).resolves.toMatchObject({ email: 'meanwhile@1' })
  expect([first, second].map(({ arrivals }) => arrivals.map(({ email }) => email))).toEqual([
    ['hold@1'],
    ['meanwhile@1'],
  ])
  first.arrivals[0]!.release()
  await expect(held).resolves.toMatchObject({ email: 'hold@1' })
  await stopping
})

test('a client that stops lets its calls in progress end', async () => {
  const server = await opens(replica())
  const { ask, stop } = await caller(server.port)
  const held = ask('hold@1')
  await until(() => server.arrivals.length === 1, { what: 'the call arrived' })
  const stopped = stop()
  await expect(ask('late@1')).rejects.toMatchObject({ code: 'unavailable' })
  server.arrivals[0]!.release()
  await expect(held).resolves.toMatchObject({ email: 'hold@1' })
  await stopped
})

test('every replica receives calls, and takes over when another one stops', async () => {
  const replicas = await Promise.all([opens(replica()), opens(replica())])
  const { ask } = await opens(caller(`ipv4:${replicas.map(({ port }) => `127.0.0.1:${port}`).join(',')}`))
  const bothHave = (count: number) => replicas.every(({ arrivals }) => arrivals.length > count)
  for (let n = 0; !bothHave(20); n += 1) await ask(`fine@${n}`)
  const last = replicas[0]!
  const held = ask('slow-100@1')
  await last.stop()
  await held
  await Promise.all(range(100).map((n) => ask(`fine@after-${n}`)))
})

test('resolving the name again fails no call and no stream', async () => {
  const server = await opens(replica())
  const { ask, client, scope } = await opens(caller(server.port, { renewEveryMs: 20 }))
  const read = async () => {
    let count = 0
    for await (const { verdicts } of client.streamAudienceVerdicts(scope(), {})) count += verdicts.length
    return count
  }
  const reading = [read(), read()]
  const until = Date.now() + 500
  let n = 0
  while (Date.now() < until) {
    const emails = range(20).map(() => `slow-${n % 30}@${(n += 1)}`)
    expect((await Promise.all(emails.map((email) => ask(email)))).map(({ email }) => email)).toEqual(emails)
  }
  expect(await Promise.all(reading)).toEqual([50, 50])
  expect(server.arrivals).toHaveLength(n)
})

test('the duration metric counts calls by method, for shared streams and separate calls', async () => {
  const server = await opens(replica())
  const { ask } = await opens(caller(server.port))
  await ask('fine@1')
  await ask(`fine@${'y'.repeat(100_000)}`)
  await ask('fault@1').catch(() => undefined)
  const metrics = await server.service.metrics.metrics()
  const countOf = (outcome: string) =>
    new RegExp(`seconds_count\\{[^}]*method="LookupContact",outcome="${outcome}"\\} (\\d+)`).exec(metrics)?.[1]
  expect([countOf('ok'), countOf('conflict')]).toEqual(['2', '1'])
})
