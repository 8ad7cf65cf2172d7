import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { csv, path, uploadStage, type UploadStage } from './upload-stage.ts'

let s: UploadStage
beforeAll(async () => {
  s = await uploadStage()
})
afterAll(() => s.close())

const head = (boundary: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\nContent-Type: text/csv\r\n\r\n`
const tail = (boundary: string) =>
  ['audience_id', s.audienceId, 'source_label', 'CRM']
    .flatMap((value, n, all) =>
      n % 2 === 0 ? [`\r\n--${boundary}\r\nContent-Disposition: form-data; name="${value}"\r\n\r\n${all[n + 1]!}`] : [],
    )
    .join('') + `\r\n--${boundary}--\r\n`

/** Sends a form whose file comes from a stream, with its announced length. */
async function uploadStream(chunks: AsyncIterable<Buffer>, size: number, baseUrl = s.gateway.baseUrl) {
  const [first, last] = [Buffer.from(head('b')), Buffer.from(tail('b'))]
  async function* body() {
    yield first
    yield* chunks
    yield last
  }
  const req = request(`${baseUrl}${path}`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer wallet-session-dev-editor',
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': first.length + size + last.length,
    },
  })
  const answered = once(req, 'response') as Promise<[IncomingMessage]>
  Readable.from(body(), { objectMode: true, highWaterMark: 1 }).pipe(req)
  const [res] = await answered
  const parts: Buffer[] = []
  for await (const part of res) parts.push(part as Buffer)
  return { status: res.statusCode, text: Buffer.concat(parts).toString() }
}

test.each([
  ['in the middle of the file', (bytes: Buffer) => bytes.subarray(0, 700_000)],
  ['after the file', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('\r\n--b\r\n')])],
  [
    'before the last boundary is complete',
    (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(tail('b').slice(0, -4))]),
  ],
])('a connection that breaks %s leaves nothing', async (_, cut) => {
  const file = Buffer.alloc(900_000, 'sentinel@example.com\n')
  await s.keepsNothing(async () => {
    const before = await s.counts()
    const { hostname, port } = new URL(s.gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wallet-session-dev-editor\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 950000\r\n\r\n`,
    )
    socket.write(cut(Buffer.concat([Buffer.from(head('b')), file])))
    await until(async () => (await s.counts()).chunks >= before.chunks + 2, { what: 'chunks to be stored' })
    socket.destroy()
  })
})

test('uploads of one workspace at the same time are limited, and others are 429 with Retry-After', async () => {
  const limited = await s.gateway.replica({ UPLOADS_PER_WORKSPACE: '1', UPLOADS_AT_ONCE: '2' })
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  async function* slow() {
    yield Buffer.from('email\n')
    await held
    yield Buffer.from('ada@example.com\n')
  }
  const first = uploadStream(slow(), 22, limited.baseUrl)
  const form = () => {
    const made = new FormData()
    made.append('file', csv('email\n'), 'people.csv')
    made.append('audience_id', s.audienceId)
    made.append('source_label', 'CRM')
    return made
  }
  const second = () =>
    fetch(`${limited.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer wallet-session-dev-editor' },
      body: form(),
    })
  const refused = await until(async () => {
    const answer = await second()
    return answer.status === 429 && answer
  })
  expect(refused.headers.get('x-error-reason')).toBe('uploads_at_once')
  expect(refused.headers.get('retry-after')).toBe('30')
  goOn()
  expect((await first).status).toBe(201)
  expect((await second()).status).toBe(201)
})

test('of many uploads at once only as many as the limits allow are stored, and nothing of the others', async () => {
  const limited = await s.gateway.replica({ UPLOADS_PER_WORKSPACE: '1', UPLOADS_AT_ONCE: '2' })
  const file = Buffer.alloc(600_000, 'ada@example.com\n')
  await until(async () => (await s.counts()).unfinished === 0, { what: 'earlier uploads to be removed' })
  const before = await s.counts()
  async function* lines() {
    yield Buffer.from('email\n')
    yield file
  }
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => uploadStream(lines(), 6 + file.length, limited.baseUrl).catch(() => undefined)),
  )
  const stored = answers.filter((answer) => answer?.status === 201).length
  expect(stored).toBeGreaterThan(0)
  // A refusal comes while the client still sends, and closes its connection.
  for (const answer of answers) expect([201, 429, undefined]).toContain(answer?.status)
  expect(stored).toBeLessThan(answers.length)
  // 600,006 bytes in chunks of 32 KiB
  const expected = { jobs: before.jobs + stored, chunks: before.chunks + 19 * stored, unfinished: 0 }
  await until(async () => JSON.stringify(await s.counts()) === JSON.stringify(expected), {
    what: 'only the stored uploads to be kept',
  })
})

test('an upload that takes too long is 408, and nothing is kept', async () => {
  const impatient = await s.gateway.replica({ UPLOAD_TIMEOUT_SECONDS: '2' })
  await s.keepsNothing(async () => {
    async function* stalled() {
      yield Buffer.from('email\n')
      await new Promise((resolve) => setTimeout(resolve, 30_000).unref())
    }
    const { status } = await uploadStream(stalled(), 1_000, impatient.baseUrl)
    expect([408, 503]).toContain(status)
  })
})

test('imports that do not run are 503', async () => {
  const alone = await s.gateway.replica({ IMPORTS_TARGET: '127.0.0.1:9', UPLOAD_TIMEOUT_SECONDS: '2' })
  const { status } = await uploadStream(Readable.from([Buffer.from('email\n')]), 6, alone.baseUrl)
  expect(status).toBe(503)
})

test('a file of 100 MB is stored without being in memory', async () => {
  const large = await s.gateway.replica({ IMPORT_MAX_BYTES: String(128 * 1_048_576) })
  const size = 100 * 1_048_576
  const row = Buffer.alloc(65_536, 'ada.lovelace@example.com,Ada,Lovelace\n')
  const hash = createHash('sha256')
  const used: number[] = []
  // without a collection before each measurement, garbage would count
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // The second collection waits until the buffers that the first one found are freed.
  const inUse = () => {
    collect()
    collect()
    return process.memoryUsage().arrayBuffers
  }
  const before = inUse()
  async function* file() {
    for (let sent = 0; sent < size; sent += row.length) {
      const piece = sent === 0 ? Buffer.concat([Buffer.from('email,first,last\n'), row]).subarray(0, row.length) : row
      hash.update(piece)
      yield piece
      if (sent % (10 * 1_048_576) === 0) used.push(inUse() - before)
    }
  }
  const { status, text } = await uploadStream(file(), size, large.baseUrl)
  expect(status).toBe(201)
  const { import: made } = JSON.parse(text) as { import: Record<string, unknown> }
  expect(made).toMatchObject({
    payload_size: size,
    file_sha256: hash.digest('hex'),
    headers: ['email', 'first', 'last'],
  })
  const [stored] = await s.gateway.stage.query<{ chunks: number }>(
    'select count(*)::int as chunks from imports.import_chunks where job_id = $1',
    [made['id']],
  )
  expect(stored!.chunks).toBe(size / 32_768)
  // The gateway, imports and this client are one process here. Memory is freed a little later, so the median counts.
  expect(used.toSorted((a, b) => a - b)[used.length / 2]).toBeLessThan(size / 5)
})
