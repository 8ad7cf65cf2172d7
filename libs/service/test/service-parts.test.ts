import { expect, jest, test } from '@jest/globals'
import fc from 'fast-check'
import { ConfigError } from '../src/config.ts'
import { createService, serviceOptionsOf, systemCaller, type RunConfig } from '../src/service.ts'

const create = () => createService('test', { logLevel: 'silent' })

test('however many parts there are and whichever fail to stop, all are stopped in reverse, one after the other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), async (fails) => {
      const service = create()
      const stopped: number[] = []
      let running = 0
      for (const [n, isFailing] of fails.entries())
        await service.use({
          async stop() {
            expect((running += 1)).toBe(1)
            await Promise.resolve()
            running -= 1
            stopped.push(n)
            if (isFailing) throw new Error('it does not stop cleanly')
          },
        })
      await service.stop()
      expect(stopped).toEqual(fails.map((_, n) => n).toReversed())
    }),
  )
})

test('a part that cannot start is not stopped, and the ones before it are', async () => {
  const service = create()
  const stopped: string[] = []
  await service.use({ stop: async () => void stopped.push('first') })
  await expect(service.use(Promise.reject(new Error('no port')))).rejects.toThrow('no port')
  await service.stop()
  expect(stopped).toEqual(['first'])
})

test('the error of a part that does not stop is logged, and the stop succeeds', async () => {
  const service = create()
  const logged = jest.spyOn(service.log, 'error')
  const error = new Error('no')
  await service.use({ stop: () => Promise.reject(error) })
  await expect(service.stop()).resolves.toBeUndefined()
  expect(logged).toHaveBeenCalledWith({ err: error }, 'a part did not stop cleanly')
})

test('use answers the part, also one that is started by a promise', async () => {
  const service = create()
  const part = { port: 7, stop: async () => undefined }
  expect(await service.use(part)).toBe(part)
  expect(await service.use(Promise.resolve(part))).toBe(part)
})

test('a stopped service has no metrics left', async () => {
  const service = create()
  expect(await service.metrics.metrics()).toBeDefined()
  await service.stop()
  expect(service.metrics.getMetricsAsArray()).toEqual([])
})

test('a service has its own clock when a test gives one, and the defaults that production relies on', () => {
  const now = () => new Date('2026-01-02T03:04:05Z')
  expect(createService('test', { logLevel: 'silent', now }).now()).toEqual(now())
  expect(create()).toMatchObject({ role: 'service', bindAddress: '127.0.0.1', tls: undefined, rpcTimeoutMs: 2_000 })
})

const config: RunConfig = {
  role: 'worker',
  logLevel: 'silent',
  bindAddress: '127.0.0.1',
  httpBindAddress: '',
  tlsCaFile: '',
  tlsCertFile: '',
  tlsKeyFile: '',
  allowPlaintextPeers: false,
  rpcTimeoutMs: 700,
  drainDelayMs: 0,
}

test('the options of a service are those of its configuration', () => {
  expect(serviceOptionsOf(config)).toEqual({
    role: 'worker',
    logLevel: 'silent',
    bindAddress: '127.0.0.1',
    httpBindAddress: '',
    allowPlaintextPeers: false,
    rpcTimeoutMs: 700,
    tls: undefined,
  })
  const files = { tlsCaFile: '/ca', tlsCertFile: '/cert', tlsKeyFile: '/key' }
  expect(serviceOptionsOf({ ...config, ...files }).tls).toEqual({ ca: '/ca', cert: '/cert', key: '/key' })
})

test('TLS files are given together or not at all', () => {
  const files = ['tlsCaFile', 'tlsCertFile', 'tlsKeyFile'] as const
  fc.assert(
    fc.property(fc.subarray([...files]), (given) => {
      const options = () => serviceOptionsOf({ ...config, ...Object.fromEntries(given.map((name) => [name, '/x'])) })
      if (given.length === 0 || given.length === 3) expect(options).not.toThrow()
      else expect(options).toThrow(ConfigError)
    }),
  )
})

test('a system caller belongs to no workspace and has no role', () => {
  expect(systemCaller('purge', 'c-1')).toEqual({
    workspaceId: null,
    organization: null,
    workspace: null,
    actor: 'system:purge',
    actorKind: 'system',
    authMethod: null,
    role: null,
    platformRole: null,
    correlationId: 'c-1',
  })
})
