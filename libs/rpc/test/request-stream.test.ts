import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { setImmediate } from 'node:timers/promises'
import { Imports } from '@lettergate/contracts/imports/v1/imports'
import { Fault } from '@lettergate/fault'
import { createService, systemCaller, type CallScope, type Service } from '@lettergate/service'
import { until } from '@lettergate/stage'
import { connect, serveRpc, type Client, type Operations } from '../src/rpc.ts'

let service: Service
let server: { port: number; stop(): Promise<void> }
let client: Client<typeof Imports>

/** What the operation saw of the last call. A message that begins with z is the last one. */
let seen: { scope: CallScope; bytes: number; ended: 'running' | 'complete' | 'cut off' | Fault; goOn: () => void }
const waits = new Set<string>()

async function* partsOf(requests: Parameters<Operations<typeof Imports, CallScope>['uploadImport']>[1]) {
  for await (const { part } of requests) if (part.case === 'data') yield part.value
}

const operations = {
  async uploadImport(scope: CallScope, requests) {
    const { promise: released, resolve } = Promise.withResolvers<void>()
    seen = { scope, bytes: 0, ended: 'running', goOn: resolve }
    let isComplete = false
    try {
      if (waits.has('before reading')) await released
      for await (const data of partsOf(requests)) {
        seen.bytes += data.length
        const first = String.fromCharCode(data[0]!)
        if (first === 'r') throw new Fault('conflict', 'refused', 'This is refused.')
        if (first === 'b') throw new Error('a secret detail')
        if (first === 'e') return { import: { id: 'early' } }
        isComplete ||= first === 'z'
      }
      seen.ended = isComplete ? 'complete' : 'cut off'
      return { import: { id: String(seen.bytes) } }
    } catch (error) {
      seen.ended = error as Fault
      throw error
    }
  },
} as Operations<typeof Imports, CallScope>

const caller = { ...systemCaller('test', 'corr-12345678'), workspaceId: 'w1' }
const scope = (more: Partial<CallScope> = {}): CallScope => ({
  caller,
  deadline: Infinity,
  signal: new AbortController().signal,
  ...more,
})
const data = (text: string, bytes = 1) => ({ part: { case: 'data' as const, value: Buffer.alloc(bytes, text) } })
async function* messages(...texts: string[]) {
  for (const text of texts) yield data(text)
}

beforeAll(async () => {
  service = createService('test', { logLevel: 'silent' })
  server = await service.use(serveRpc(service, { port: 0, rpc: Imports, operations, ctxOf: (call) => call }))
  client = await service.use(connect(service, `127.0.0.1:${server.port}`, Imports, { timeoutMs: 60_000 }))
})
beforeEach(() => waits.clear())
afterAll(() => service.stop())

test('every message arrives in order, then the answer; a stream without messages is answered too', async () => {
  expect((await client.uploadImport(scope(), messages('1', '2', 'z'))).import!.id).toBe('3')
  expect(seen).toMatchObject({ ended: 'complete', scope: { caller } })
  expect((await client.uploadImport(scope(), messages())).import!.id).toBe('0')
})

test('a Fault arrives as the same Fault, and any other error without details', async () => {
  await expect(client.uploadImport(scope(), messages('1', 'r', '2'))).rejects.toMatchObject({
    code: 'conflict',
    reason: 'refused',
    message: 'This is refused.',
  })
  await expect(client.uploadImport(scope(), messages('b'))).rejects.toThrow(/^(?!.*secret).*internal error/)
})

test('a caller that waits for more to send hears a refusal at once, and stops sending after an early answer', async () => {
  let isClosed = false
  async function* endless(first: string) {
    try {
      yield data(first)
      for (;;) yield data('x', 65_536)
    } finally {
      isClosed = true
    }
  }
  async function* silent() {
    yield data('r')
    await new Promise(() => undefined)
  }
  await expect(client.uploadImport(scope(), silent())).rejects.toMatchObject({ reason: 'refused' })
  await expect(client.uploadImport(scope(), endless('r'))).rejects.toMatchObject({ reason: 'refused' })
  await until(async () => isClosed)
  isClosed = false
  expect((await client.uploadImport(scope(), endless('e'))).import!.id).toBe('early')
  await until(async () => isClosed)
})

/** The stream has ended for the operation, and it knows that the stream is not complete. */
const isGivenUp = async () =>
  seen.ended === 'cut off' || (seen.ended instanceof Fault && seen.ended.reason === 'cancelled')

test('an error of the messages themselves reaches the caller unchanged, and the operation learns that the caller gave up', async () => {
  const mine = new Error('the source broke')
  async function* breaking() {
    yield data('1')
    yield data('2')
    await until(async () => seen.bytes === 2)
    throw mine
  }
  await expect(client.uploadImport(scope(), breaking())).rejects.toBe(mine)
  await until(isGivenUp)
})

test('the operation learns that its caller gave up, that the deadline is over, and that the connection is lost', async () => {
  async function* stalled() {
    yield data('1')
    await new Promise(() => undefined)
  }
  const aborter = new AbortController()
  const given = client.uploadImport(scope({ signal: aborter.signal }), stalled())
  given.catch(() => undefined)
  await until(async () => seen.ended === 'running' && seen.bytes === 1)
  aborter.abort()
  await expect(given).rejects.toMatchObject({ code: 'unavailable' })
  await until(isGivenUp)

  await expect(client.uploadImport(scope({ deadline: Date.now() + 1_000 }), stalled())).rejects.toMatchObject({
    code: 'unavailable',
  })
  await until(isGivenUp)

  await expect(client.uploadImport(scope({ signal: AbortSignal.abort() }), messages('1'))).rejects.toMatchObject({
    code: 'unavailable',
  })

  const other = createService('other', { logLevel: 'silent' })
  const lost = await other.use(connect(other, `127.0.0.1:${server.port}`, Imports, { timeoutMs: 60_000 }))
  const { promise: cut, resolve: cutNow } = Promise.withResolvers<void>()
  async function* cutOff() {
    yield data('1')
    await cut
    throw new Error('the process ends')
  }
  seen = { ...seen, ended: 'complete', bytes: 0 }
  const call = lost.uploadImport(scope(), cutOff())
  call.catch(() => undefined)
  await until(async () => seen.ended === 'running' && seen.bytes === 1)
  cutNow()
  await other.stop()
  await until(isGivenUp)
})

test('messages are not read from the source faster than the operation reads them', async () => {
  waits.add('before reading')
  const messageBytes = 65_536
  const total = 400
  let given = 0
  async function* large() {
    for (; given < total; given += 1) yield data('x', messageBytes)
  }
  const answered = client.uploadImport(scope(), large())
  let before = -1
  // without progress for a while: everything that may wait on the way is full
  await until(
    async () => {
      const isStill = given === before && given > 0
      before = given
      for (let turn = 0; turn < 200; turn += 1) await setImmediate()
      return isStill && given === before
    },
    { what: 'the source to be held back' },
  )
  expect(given).toBeLessThan(100)
  seen.goOn()
  expect((await answered).import!.id).toBe(String(total * messageBytes))
})

test('a call that no server takes ends at its deadline', async () => {
  const lost = createService('lost', { logLevel: 'silent' })
  const nobody = await lost.use(connect(lost, '127.0.0.1:1', Imports, { timeoutMs: 20 }))
  await expect(nobody.uploadImport(scope(), messages('1'))).rejects.toMatchObject({ code: 'unavailable' })
  await lost.stop()
})
