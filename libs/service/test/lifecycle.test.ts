import { expect, test } from '@jest/globals'
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, repeat, serveHealth } from '../src/service.ts'

const part = (name: string, stopped: string[]) => ({
  stop: async () => {
    await sleep(1)
    stopped.push(name)
  },
})

test('parts stop once, in the reverse order of their start', async () => {
  const stopped: string[] = []
  const service = createService('test', { logLevel: 'silent' })
  await service.use(part('first', stopped))
  await service.use(Promise.resolve(part('second', stopped)))
  await Promise.all([service.stop(), service.stop()])
  expect(stopped).toEqual(['second', 'first'])
})

test('the health port of a process that is bound to one address is open on no other', async () => {
  const service = createService('test', { logLevel: 'silent', bindAddress: '127.0.0.1' })
  const { port } = await service.use(serveHealth(service, 0))
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  await expect(fetch(`http://127.0.0.2:${port}/healthz`)).rejects.toThrow()
  await service.stop()
})

test('a process is alive and not ready while a dependency is down', async () => {
  const service = createService('test', { logLevel: 'silent' })
  const health = await service.use(serveHealth(service, 0))
  const get = (path: string) => fetch(`http://127.0.0.1:${health.port}${path}`)
  expect((await get('/readyz')).status).toBe(200)
  service.readiness('database', () => Promise.reject(new Error('gone')))
  expect((await get('/healthz')).status).toBe(200)
  const ready = await get('/readyz')
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'unavailable', failed: ['database'] })
  await service.stop()
})

test('a job never overlaps itself, continues after errors, and runs once more when woken while it runs', async () => {
  const service = createService('test', { logLevel: 'silent' })
  let running = 0
  let most = 0
  let runs = 0
  const job = repeat(service, 'job', 60_000, async () => {
    most = Math.max(most, (running += 1))
    await sleep(5)
    running -= 1
    runs += 1
    if (runs === 1) throw new Error('once')
  })
  job.wake()
  job.wake()
  while (runs < 2) await sleep(5)
  await sleep(60) // a third run would begin meanwhile
  await job.stop()
  expect({ most, runs }).toEqual({ most: 1, runs: 2 })
})

test('a job that returns `unfinished` runs again soon, with any interval', async () => {
  const service = createService('test', { logLevel: 'silent' })
  const results = ['unfinished', 'unfinished', 'finished'] as const
  let runs = 0
  let job: ReturnType<typeof repeat> | undefined
  await new Promise<void>((resolve) => {
    job = repeat(service, 'job', 3_600_000, () => {
      const result = results[runs]!
      runs += 1
      if (result === 'finished') resolve()
      return Promise.resolve(result)
    })
  })
  await job!.stop()
  expect(runs).toBe(3)
})

test('a job that is woken repeatedly within a time runs once for all of them, before its interval ends', async () => {
  const service = createService('test', { logLevel: 'silent' })
  let runs = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const job = repeat(service, 'job', 3_600_000, async () => {
    runs += 1
    if (runs === 2) resolve()
  })
  for (let asked = 0; asked < 100; asked += 1) job.wakeWithin(20)
  await promise
  await sleep(40)
  await job.stop()
  expect(runs).toBe(2)
})

test('a stopped job does not run for earlier wake calls', async () => {
  const service = createService('test', { logLevel: 'silent' })
  let runs = 0
  const job = repeat(service, 'job', 3_600_000, async () => void (runs += 1))
  job.wakeWithin(5)
  await job.stop()
  await sleep(20)
  expect(runs).toBe(1)
})
