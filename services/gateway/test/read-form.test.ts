// Over 300 lines because every way to send a form is one case of the same server.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { HttpFault } from '@lettergate/http'
import { until } from '@lettergate/stage'
import { readForm, type FormFields } from '../src/engine/read-form.ts'

const plan = {
  file: 'file',
  fileType: 'text/csv',
  fields: new Set(['label', 'kind']),
  validate: new Ajv({ allErrors: true, verbose: true }).compile({
    type: 'object',
    required: ['file', 'label'],
    properties: { file: {}, label: { type: 'string', minLength: 1 }, kind: { type: 'string' } },
  }),
}

interface Outcome {
  form?: FormFields
  bytes: number
  text: string
  error?: HttpFault
}

let server: Server
let port: number
/** how the next form is read, and what came out */
const usual = { fileBytesMax: 1_000, timeoutMs: 60_000, paceMs: 60_000, bytesPerSecondMin: 1 }
let limits = usual
let hold: Promise<void> | undefined
let outcome: Promise<Outcome>
let taken = 0

async function read(req: IncomingMessage): Promise<Outcome> {
  const parts: string[] = []
  let bytes = 0
  taken = 0
  const form = readForm(req, plan, limits)
  try {
    for (;;) {
      const next = await form.next()
      if (next.done) return { form: next.value, bytes, text: parts.join('') }
      bytes += next.value.length
      taken = bytes
      if (bytes < 10_000) parts.push(next.value.toString())
      if (hold) await hold
    }
  } catch (error) {
    return { error: error as HttpFault, bytes, text: parts.join('') }
  }
}

beforeAll(async () => {
  server = createServer((req, res) => {
    outcome = read(req)
    void outcome.then(() => res.end('read'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
})

const part = (headers: string, content: string | Buffer) =>
  Buffer.concat([Buffer.from(`--b\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')])
const file = (content: string | Buffer, { type = 'text/csv', name = 'filename="people.csv"' } = {}) =>
  part(`Content-Disposition: form-data; name="file"; ${name}\r\nContent-Type: ${type}`, content)
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value)
const end = Buffer.from('--b--\r\n')

async function send(parts: Buffer[], headers: Record<string, string> = {}): Promise<Outcome> {
  await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
    body: Buffer.concat(parts),
  })
  return outcome
}

test('a form is read with its fields before or after the file', async () => {
  for (const parts of [
    [file('a,b\n'), field('label', 'L'), field('kind', 'K'), end],
    [field('kind', 'K'), field('label', 'L'), file('a,b\n'), end],
    [field('label', 'L'), file('a,b\n'), field('kind', 'K'), end],
  ])
    expect(await send(parts)).toEqual({
      form: { fields: { label: 'L', kind: 'K' }, filename: 'people.csv' },
      bytes: 4,
      text: 'a,b\n',
    })
  expect(await send([file('', { type: 'Text/CSV; charset=utf-8' }), field('label', 'Ä'), end])).toMatchObject({
    form: { fields: { label: 'Ä' } },
    bytes: 0,
  })
})

const label = field('label', 'L')
test.each([
  ['an unknown field', field('other', 'x')],
  [
    'a second file with another name',
    part('Content-Disposition: form-data; name="more"; filename="b.csv"\r\nContent-Type: text/csv', 'b'),
  ],
  ['a part without a name', part('Content-Disposition: form-data', 'x')],
  ['a prototype name', field('__proto__', 'x')],
])('%s is ignored', async (_, other) => {
  expect(await send([other, file('a'), other, label, end])).toEqual({
    form: { fields: { label: 'L' }, filename: 'people.csv' },
    bytes: 1,
    text: 'a',
  })
})

test.each<[string, Buffer[], number | undefined, string, string]>([
  ['a missing field', [file('a'), end], undefined, 'label', 'label is required.'],
  ['a missing file', [label, end], undefined, 'file', 'file is required.'],
  ['nothing', [end], undefined, 'file', 'file is required.\nlabel is required.'],
  ['an invalid field', [file('a'), field('label', ''), end], undefined, 'label', 'label must not be empty.'],
  ['a field twice', [label, label, file('a'), end], undefined, 'label', 'label is given twice. Send it once.'],
  ['a file twice', [file('a'), label, file('b'), end], undefined, 'file', 'file is given twice. Send it once.'],
  [
    'a long unknown field',
    [field('other', 'x'.repeat(9_000)), file('a'), label, end],
    undefined,
    '"other"',
    '"other" must be at most 8192 bytes long.',
  ],
  [
    'another type',
    [file('a', { type: 'application/json' }), label, end],
    undefined,
    'file',
    "file must have the type text/csv, as in curl -F 'file=@contacts.csv;type=text/csv'.",
  ],
  [
    'a file without a type',
    [part('Content-Disposition: form-data; name="file"; filename="a.csv"', 'a'), label, end],
    undefined,
    'file',
    "file must have the type text/csv, as in curl -F 'file=@contacts.csv;type=text/csv'.",
  ],
  [
    'a file sent as a text',
    [file('a', { name: '' }), label, end],
    undefined,
    'file',
    'file must be sent as a file with a filename.',
  ],
  [
    'an empty file input',
    [file('', { name: 'filename=""' }), label, end],
    undefined,
    'file',
    'file must be sent as a file with a filename.',
  ],
  [
    'a long field',
    [field('label', 'x'.repeat(9_000)), file('a'), end],
    undefined,
    'label',
    'label must be at most 8192 bytes long.',
  ],
  ['a file above the limit', [file('x'.repeat(1_001)), label, end], 413, 'body_too_large', ''],
  ['a file far above the limit', [file('x'.repeat(200_000)), label, end], 413, 'body_too_large', ''],
  ['no last boundary', [file('a'), label], 400, 'malformed_form', ''],
  ['a file that does not end', [label, file('abc')], 400, 'malformed_form', ''],
  ['another boundary', [Buffer.from('--c\r\n\r\nx\r\n--c--\r\n')], 400, 'malformed_form', ''],
  ['no multipart at all', [Buffer.from('{"file": 1}')], 400, 'malformed_form', ''],
  [
    'a hundred parts',
    [...Array.from({ length: 100 }, () => part('X: 1', 'x')), file('a'), label, end],
    undefined,
    'body',
    '',
  ],
])('%s is refused', async (_, parts, status, reason, message) => {
  const { error, form } = await send(parts)
  expect(form).toBeUndefined()
  expect(error).toMatchObject(status === undefined ? { code: 'invalid_argument', reason } : { status, reason })
  expect(error).not.toMatchObject(status === undefined ? { status: expect.any(Number) } : { status: undefined })
  if (message !== '') expect(error!.message).toBe(message)
})

test('a file of exactly the limit is taken', async () => {
  expect(await send([file('x'.repeat(1_000)), label, end])).toMatchObject({
    bytes: 1_000,
    form: { fields: { label: 'L' } },
  })
})

test.each([
  ['application/json', {}],
  ['application/x-www-form-urlencoded', {}],
  ['text/csv', {}],
  ['multipart/mixed; boundary=b', {}],
  ['multipart/form-data; boundary=b', { 'content-encoding': 'gzip' }],
])('the content type %s %j is 415', async (type, more) => {
  const { error } = await send([file('a'), label, end], { 'content-type': type, ...more })
  expect(error).toMatchObject({ status: 415, reason: 'content_type' })
})

test('a form without a boundary is 400', async () => {
  const { error } = await send([file('a'), end], { 'content-type': 'multipart/form-data' })
  expect(error).toMatchObject({ status: 400, reason: 'malformed_form' })
})

const inOneChunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const chunkedClient = () => rawClient('Transfer-Encoding: chunked')

/** A client that sends what it is told, and a head that announces more. */
async function rawClient(announced: number | string): Promise<Socket> {
  const length = typeof announced === 'number' ? `Content-Length: ${announced}` : announced
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  outcome = new Promise(() => undefined)
  const before = outcome
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`)
  await until(async () => outcome !== before)
  return socket
}

test('an announced length above the limit is refused before any byte of the body', async () => {
  const socket = await rawClient(1_000_000_000)
  expect((await outcome).error).toMatchObject({ status: 413 })
  socket.destroy()
})

test.each([
  ['inside the file', [file('abc').subarray(0, -3)]],
  ['between two fields', [file('abc')]],
  ['before the first byte', []],
])('a connection that breaks %s is refused', async (_, parts) => {
  const socket = await rawClient(50_000)
  socket.write(Buffer.concat(parts))
  await setImmediate()
  socket.destroy()
  expect((await outcome).error).toMatchObject({ status: 400, reason: 'body_cut' })
})

test('a client that sends nothing any more, and one that takes too long, are 408', async () => {
  limits = { ...limits, paceMs: 500 }
  const silent = await rawClient(50_000)
  silent.write(file('abc'))
  expect((await outcome).error).toMatchObject({ status: 408, reason: 'upload_too_slow' })
  silent.destroy()

  limits = { ...limits, paceMs: 60_000, timeoutMs: 500 }
  const slow = await rawClient(50_000)
  expect((await outcome).error).toMatchObject({ status: 408, reason: 'upload_too_slow' })
  slow.destroy()
  limits = usual
})

test('a client that sends a byte from time to time is 408, and one above the lowest rate is not', async () => {
  limits = { ...limits, paceMs: 500, bytesPerSecondMin: 1_000 }
  const trickle = async () => {
    const socket = await rawClient(50_000)
    const dripping = setInterval(() => socket.write('x'), 20)
    return { socket, stop: () => clearInterval(dripping) }
  }
  const slow = await trickle()
  expect((await outcome).error).toMatchObject({ status: 408, reason: 'upload_too_slow' })
  slow.stop()
  slow.socket.destroy()

  limits = { ...limits, timeoutMs: 2_000, bytesPerSecondMin: 1 }
  const steady = await trickle()
  const began = performance.now()
  expect((await outcome).error).toMatchObject({ status: 408 })
  // It was not stopped by its rate, only by the time for the whole form.
  expect(performance.now() - began).toBeGreaterThan(1_500)
  steady.stop()
  steady.socket.destroy()
  limits = usual
})

const noise = Buffer.alloc(80 * 1_024, 'x')
const extension = `1;${'x'.repeat(4_000)}\r\ny\r\n`
test.each<[string, (socket: Socket) => void]>([
  [
    'before the first part',
    (socket) => socket.write(Buffer.concat([noise, Buffer.from('\r\n'), file('a'), label, end])),
  ],
  ['after the last part', (socket) => socket.write(Buffer.concat([file('a'), label, end, noise]))],
  ['in the headers of parts', (socket) => socket.write(Buffer.concat([part(`X: ${'x'.repeat(80_000)}`, ''), end]))],
  [
    'in other fields',
    (socket) => socket.write(Buffer.concat([...Array.from({ length: 12 }, () => field('o', 'x'.repeat(8_000))), end])),
  ],
])('more than 64 KiB %s are refused, also without an announced length', async (_, write) => {
  const socket = await chunkedClient()
  write({ write: (bytes: Buffer) => socket.write(inOneChunk(bytes)) } as Socket)
  expect((await outcome).error).toMatchObject({ status: 413, reason: 'body_too_large' })
  socket.destroy()
})

test('the extensions of chunks count too', async () => {
  const socket = await chunkedClient()
  socket.write(inOneChunk(file('').subarray(0, -2)))
  const sending = setInterval(() => socket.write(extension.repeat(10)), 5)
  expect((await outcome).error).toMatchObject({ status: 413, reason: 'body_too_large' })
  clearInterval(sending)
  socket.destroy()
})

test('a reader that is slower than the client holds the client back, and is not taken for a silent client', async () => {
  const size = 64 * 1_048_576
  limits = { ...limits, fileBytesMax: size, paceMs: 500 }
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  hold = promise
  const socket = await rawClient(1_000 + size)
  const content = Buffer.alloc(size, 'x')
  socket.write(file(content).subarray(0, -2))
  let before = -1
  // without progress for a while: everything that may wait on the way is full
  await until(async () => {
    const isStill = socket.bytesWritten === before && taken > 0
    before = socket.bytesWritten
    for (let turn = 0; turn < 500; turn += 1) await setImmediate()
    return isStill && socket.bytesWritten === before
  })
  expect(taken).toBeLessThan(1_048_576)
  // longer than the time that a client may be silent
  const { promise: later, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, 1_500)
  await later
  goOn()
  hold = undefined
  const rest = Buffer.concat([Buffer.from('\r\n'), label, end])
  const announced = 1_000 + size - (file(content).length - 2)
  socket.write(Buffer.concat([rest, Buffer.alloc(announced - rest.length, ' ')]))
  expect(await outcome).toMatchObject({ bytes: size, form: { fields: { label: 'L' } } })
  socket.destroy()
  limits = usual
})
