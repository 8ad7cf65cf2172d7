import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { connect as connectHttp2, type Settings } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { Fault } from '@lettergate/fault'
import { createService, systemCaller, type CallScope, type Caller, type Service } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { connect, serveRpc, type Client, type Operations } from '../src/rpc.ts'

let service: Service
let port: number
let client: Client<typeof ContactsConsent>
let seen: CallScope | undefined
let produced = 0

const nowhere = () => Promise.reject(new Error('a secret detail'))
const operations = {
  lookupContact: async (ctx: CallScope, request: { email: string }) => {
    seen = ctx
    if (request.email === 'gone') throw new Fault('not_found', 'contact', 'There is no such contact.')
    if (request.email === 'slow') await sleep(10_000, undefined, { signal: ctx.signal })
    return { contact: { id: '1', email: request.email, normalizedEmail: request.email } }
  },
  async *streamAudienceVerdicts(ctx: CallScope) {
    for (produced = 0; produced < 100_000; produced += 1) {
      if (ctx.signal.aborted) return
      yield { verdicts: [{ contactId: String(produced) }] }
    }
  },
  getEligibility: nowhere,
} as unknown as Operations<typeof ContactsConsent, CallScope>
const caller: Caller = {
  ...systemCaller('test', 'corr-12345678'),
  workspaceId: 'w1',
  organization: 'acmé',
  workspace: 'news feed',
  actor: 'ünï',
}
const scope = (deadline = Infinity): CallScope => ({ caller, deadline, signal: new AbortController().signal })

beforeAll(async () => {
  service = createService('test', { logLevel: 'silent' })
  const server = await service.use(
    serveRpc(service, { port: 0, rpc: ContactsConsent, operations, ctxOf: (call) => call }),
  )
  port = server.port
  client = await service.use(connect(service, `127.0.0.1:${server.port}`, ContactsConsent, { timeoutMs: 5_000 }))
})
afterAll(() => service.stop())

test('a client may send a megabyte before the server is heard from', async () => {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const [settings] = (await once(session, 'remoteSettings')) as [Settings]
  expect(settings.initialWindowSize).toBe(1_048_576)
  await until(() => Promise.resolve(session.state.remoteWindowSize === 1_048_576))
  session.destroy()
})

test('the caller and the deadline arrive unchanged', async () => {
  const deadline = Date.now() + 1_000
  const reply = await client.lookupContact(scope(deadline), { email: 'a@b.test' })
  expect(reply.contact?.email).toBe('a@b.test')
  expect(seen?.caller).toEqual(caller)
  expect(seen!.deadline).toBeLessThanOrEqual(deadline + 1_000) // the call's deadline, not the connection's default of 5 s
})

test('a Fault arrives as the same Fault, and any other error arrives without details', async () => {
  await expect(client.lookupContact(scope(), { email: 'gone' })).rejects.toMatchObject({
    code: 'not_found',
    reason: 'contact',
    message: 'There is no such contact.',
  })
  await expect(client.getEligibility(scope(), {})).rejects.toThrow(/internal error/)
  await expect(client.getEligibility(scope(), {})).rejects.not.toThrow(/secret/)
})

test('a call ends as unavailable at the deadline of its caller, and the server aborts it', async () => {
  seen = undefined
  await expect(client.lookupContact(scope(Date.now() + 2_000), { email: 'slow' })).rejects.toMatchObject({
    code: 'unavailable',
  })
  await until(() => seen?.signal.aborted === true, { what: 'the server to abort the call' })
})

test('leaving a stream early stops the server', async () => {
  let taken = 0
  for await (const { verdicts } of client.streamAudienceVerdicts(scope(), {})) {
    taken += verdicts.length
    if (taken === 100) break
  }
  await sleep(100)
  expect(produced).toBeLessThan(100_000)
})

test('a process that is bound to one address serves no other address', async () => {
  const bound = createService('bound', { logLevel: 'silent', bindAddress: '127.0.0.1' })
  const server = await bound.use(serveRpc(bound, { port: 0, rpc: ContactsConsent, operations, ctxOf: (call) => call }))
  const through = (address: string, timeoutMs = 1_000) =>
    bound.use(connect(bound, `${address}:${server.port}`, ContactsConsent, { timeoutMs }))
  await expect(
    (await through('127.0.0.1', 60_000)).lookupContact(scope(Date.now() + 60_000), { email: 'a' }),
  ).resolves.toBeDefined()
  await expect((await through('127.0.0.2')).lookupContact(scope(), { email: 'a' })).rejects.toMatchObject({
    code: 'unavailable',
  })
  await bound.stop()
})

test('a process can bind to the IPv6 loopback address, and cannot bind to all addresses without TLS', async () => {
  const bound = createService('bound', { logLevel: 'silent', bindAddress: '::1' })
  const server = await bound.use(serveRpc(bound, { port: 0, rpc: ContactsConsent, operations, ctxOf: (call) => call }))
  const through = (address: string, timeoutMs = 1_000) =>
    bound.use(connect(bound, `${address}:${server.port}`, ContactsConsent, { timeoutMs }))
  await expect(
    (await through('[::1]', 60_000)).lookupContact(scope(Date.now() + 60_000), { email: 'a' }),
  ).resolves.toBeDefined()
  await expect((await through('127.0.0.1')).lookupContact(scope(), { email: 'a' })).rejects.toMatchObject({
    code: 'unavailable',
  })
  await bound.stop()
  expect(() => createService('open', { logLevel: 'silent', bindAddress: '::' })).toThrow(/BIND_ADDRESS is ::/)
})

test('a call to a service that does not run is unavailable within the deadline', async () => {
  const lost = createService('lost', { logLevel: 'silent' })
  const nobody = await lost.use(connect(lost, '127.0.0.1:1', ContactsConsent, { timeoutMs: 200 }))
  await expect(nobody.lookupContact(scope(), { email: 'a' })).rejects.toMatchObject({ code: 'unavailable' })
  await lost.stop()
})
