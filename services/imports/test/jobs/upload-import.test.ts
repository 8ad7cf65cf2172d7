import { createHash } from 'node:crypto'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { Imports, type UploadImportRequestSchema } from '@lettergate/contracts/imports/v1/imports'
import { until } from '@lettergate/stage'
import { chunkBytes } from '../../src/payload/chunk-cipher.ts'
import { importKeys, openImports, unknownId, type ImportsStage } from '../imports-stage.ts'

type UploadRequest = MessageInitShape<typeof UploadImportRequestSchema>

let s: ImportsStage
let audienceId: string
beforeAll(async () => {
  s = await openImports()
  audienceId = await newAudience()
})
afterAll(() => s.close())

async function newAudience(scope = s.us): Promise<string> {
  const slug = `a-${Math.random().toString(36).slice(2)}`
  const made = await s.contacts.createAudience(scope, { name: slug, slug, purpose: 'tests', minimumIntervalSeconds: 0 })
  return made.audience!.id
}

const form = (more: object = {}): UploadRequest => ({
  part: { case: 'form', value: { audienceId, sourceLabel: 'CRM export', filename: 'people.csv', ...more } },
})
const data = (bytes: string | Buffer): UploadRequest => ({ part: { case: 'data', value: Buffer.from(bytes) } })
async function* requests(...all: UploadRequest[]) {
  yield* all
}
/** Uploads this file in pieces of a few bytes. */
const upload = (file: string | Buffer, more: object = {}, scope = s.us) => {
  const bytes = Buffer.from(file)
  const size = Math.max(1, Math.ceil(bytes.length / 7))
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    data(bytes.subarray(n * size, (n + 1) * size)),
  )
  return s.imports.uploadImport(scope, requests(...pieces, form(more)))
}
const counts = async () => {
  const [found] = await s.stage.query<{ jobs: number; chunks: number }>(
    `select (select count(*)::int from imports.import_jobs) as jobs, (select count(*)::int from imports.import_chunks) as chunks`,
  )
  return found!
}

/** Every chunk belongs to an import, after each test. */
afterEach(async () => {
  await until(
    async () =>
      (
        await s.stage.query(
          'select 1 from imports.import_chunks c where not exists (select from imports.import_jobs j where j.id = c.job_id)',
        )
      ).length === 0,
    { what: 'no chunk to be left' },
  )
})

test('an uploaded file becomes an import with its checksum, size and headers, which expires after 72 hours', async () => {
  const file = 'Email;First name;Tags\nada@example.com;Ada;a\n'
  const { import: made } = await upload(file)
  expect(made).toMatchObject({
    status: 'uploaded',
    filename: 'people.csv',
    sourceLabel: 'CRM export',
    fileSha256: createHash('sha256').update(file).digest('hex'),
    payloadSize: BigInt(file.length),
    payloadRetained: true,
    headers: ['Email', 'First name', 'Tags'],
    requestedByWalletId: 'tester',
    attemptCount: 0,
  })
  expect(made!.expiresAt!.seconds - made!.createdAt!.seconds).toBe(72n * 3600n)
  expect((await s.imports.getImport(s.us, { jobId: made!.id })).import).toEqual(made)
  const [row] = await s.stage.query(
    'select workspace_id, audience_id, encoding, delimiter, chunk_count, epoch from imports.import_jobs where id = $1',
    [made!.id],
  )
  expect(row).toEqual({
    workspace_id: s.workspaceId,
    audience_id: audienceId,
    encoding: 'utf-8',
    delimiter: ';',
    chunk_count: 1,
    epoch: 1,
  })
  const audited = (
    await s.stage.query<{ payload: Buffer }>(`select payload from imports.outbox where event = 'audit_recorded'`)
  )
    .map(({ payload }) => fromBinary(AuditRecordedSchema, payload))
    .filter(({ subjectId }) => subjectId === made!.id)
  expect(audited).toMatchObject([
    {
      action: 'import_uploaded',
      actor: 'tester',
      detail: { audience_id: audienceId, file_sha256: made!.fileSha256, payload_size: file.length },
    },
  ])
})

test('a file of several chunks is stored complete, only encrypted, and each upload has its own key', async () => {
  const file = Buffer.concat([Buffer.from('email\n'), Buffer.alloc(600_000, 'sentinel@example.com\n')])
  const [one, other] = [await upload(file), await upload(file)]
  const stored = await s.stage.query<{ job_id: string; position: number; ciphertext: Buffer }>(
    'select job_id, position, ciphertext from imports.import_chunks where job_id = any($1) order by job_id, position',
    [[one.import!.id, other.import!.id]],
  )
  const positions = Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, n) => n)
  expect(stored.map(({ position }) => position)).toEqual([...positions, ...positions])
  for (const { ciphertext } of stored) expect(ciphertext.includes('sentinel')).toBe(false)
  expect(stored[0]!.ciphertext.equals(stored[positions.length]!.ciphertext)).toBe(false)
  expect(one.import!.fileSha256).toBe(other.import!.fileSha256)
  const keys = await s.stage.query<{ sealed_key: string }>('select sealed_key from imports.import_jobs')
  for (const { sealed_key: key } of keys) expect(key).toMatch(/^k1:/)
  expect(new Set(keys.map(({ sealed_key: key }) => key)).size).toBe(keys.length)
})

test('a header row alone is a file without rows', async () => {
  expect((await upload('email')).import).toMatchObject({ headers: ['email'], payloadSize: 5n })
})

test.each([
  ['windows-1252 as declared', Buffer.from('Émail\nÄ\n', 'latin1'), 'Windows-1252', 'windows-1252'],
  ['UTF-16 with a mark', Buffer.from('\ufeffÉmail\nÄ\n', 'utf16le'), undefined, 'utf-16le'],
  ['UTF-16 as declared', Buffer.from('Émail\nÄ\n', 'utf16le'), 'utf-16le', 'utf-16le'],
  ['UTF-8 with a mark', Buffer.from('\ufeffÉmail\nÄ\n'), undefined, 'utf-8'],
])('a file in %s is taken', async (_, file, encoding, stored) => {
  const { import: made } = await upload(file, encoding === undefined ? {} : { encoding })
  expect(made!.headers).toEqual(['Émail'])
  const [row] = await s.stage.query('select encoding from imports.import_jobs where id = $1', [made!.id])
  expect(row).toEqual({ encoding: stored })
})

const long = Buffer.alloc(400_000, 'ada@example.com\n')
test.each<[string, string | Buffer, object, string]>([
  ['an empty file', '', {}, 'file'],
  ['an archive', Buffer.from('504b0304140000000800', 'hex'), {}, 'file_type'],
  [
    'a NUL far from the beginning',
    Buffer.concat([Buffer.from('email\n'), long, Buffer.from('\u0000\n')]),
    {},
    'file_type',
  ],
  [
    'another encoding far from the beginning',
    Buffer.concat([Buffer.from('email\n'), long, Buffer.from('Ä\n', 'latin1')]),
    {},
    'file_encoding',
  ],
  [
    'half a character of the declared encoding at the end',
    Buffer.concat([Buffer.from('email\nada\n', 'utf16le'), Buffer.from('a')]),
    { encoding: 'utf-16le' },
    'file_encoding',
  ],
  ['a person in the first row', 'ada@example.com,Ada\n', {}, 'file_header'],
  ['an unknown encoding', 'email\n', { encoding: 'ebcdic' }, 'encoding'],
  ['a malformed audience', 'email\n', { audienceId: 'x' }, 'audience_id'],
  ['an unknown audience', 'email\n', { audienceId: unknownId }, 'audience_id'],
  ['a blank label', 'email\n', { sourceLabel: '  ' }, 'source_label'],
  ['a label above the limit', 'email\n', { sourceLabel: 'x'.repeat(501) }, 'source_label'],
  ['no filename', 'email\n', { filename: '' }, 'file'],
])('%s is refused, and nothing is kept', async (_, file, more, reason) => {
  const before = await counts()
  await expect(upload(file, more)).rejects.toMatchObject({ code: 'invalid_argument', reason })
  await until(async () => JSON.stringify(await counts()) === JSON.stringify(before))
})

test("an archived audience and another tenant's are refused, and nothing is kept", async () => {
  const before = await counts()
  const archived = await newAudience()
  await s.contacts.archiveAudience(s.us, { audienceId: archived })
  await expect(upload('email\n', { audienceId: archived })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'audience_archived',
  })
  await expect(upload('email\n', {}, s.them)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'audience_id' })
  await until(async () => JSON.stringify(await counts()) === JSON.stringify(before))
})

test('no stream without its form becomes an import, and nothing of it is kept', async () => {
  const before = await counts()
  const broken = new Error('the connection broke')
  async function* breaking(isLong: boolean) {
    yield data('email\n')
    if (isLong) {
      for (let n = 0; n < 20; n += 1) yield data(Buffer.alloc(65_536, 'x\n'))
      await until(async () => (await counts()).chunks > before.chunks, { what: 'a chunk to be stored' })
    }
    throw broken
  }
  await expect(s.imports.uploadImport(s.us, breaking(false))).rejects.toBe(broken)
  await expect(s.imports.uploadImport(s.us, breaking(true))).rejects.toBe(broken)
  await expect(s.imports.uploadImport(s.us, requests(data('email\n')))).rejects.toMatchObject({ reason: 'upload_cut' })
  await expect(s.imports.uploadImport(s.us, requests())).rejects.toMatchObject({ reason: 'upload_cut' })
  await expect(
    s.imports.uploadImport(s.us, requests(data('email\n'), form(), data('ada@example.com\n'))),
  ).rejects.toMatchObject({ reason: 'upload_cut' })
  await until(async () => JSON.stringify(await counts()) === JSON.stringify(before), { what: 'nothing to be left' })
})

test('until the end of an upload there are only chunks, and no row with a key that decrypts them', async () => {
  const before = await counts()
  const { promise: stalled, resolve: goOn } = Promise.withResolvers<void>()
  async function* stalling() {
    yield data('email\n')
    for (let n = 0; n < 20; n += 1) yield data(Buffer.alloc(65_536, 'x\n'))
    await stalled
    throw new Error('the test is over')
  }
  const answered = s.imports.uploadImport(s.us, stalling())
  answered.catch(() => undefined)
  await until(async () => (await counts()).chunks > before.chunks)
  expect((await counts()).jobs).toBe(before.jobs)
  goOn()
  await expect(answered).rejects.toThrow('the test is over')
})

test('a file above the limit is refused while it arrives, and nothing is kept', async () => {
  const small = await s.stage.boot('imports', s.start, s.loadConfig, {
    ...s.env,
    IMPORT_MAX_BYTES: '300000',
    ROLE: 'api',
  })
  const [client, before] = [await s.stage.client(Imports, small.rpcPort!), await counts()]
  let given = 0
  async function* endless() {
    yield data('email\n')
    for (; given < 10_000; given += 1) yield data(Buffer.alloc(1_000, 'x\n'))
    yield form()
  }
  await expect(client.uploadImport(s.us, endless())).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'file',
    message: expect.stringContaining('300000'),
  })
  expect(given).toBeLessThan(10_000)
  const { import: largest } = await client.uploadImport(s.us, requests(data(Buffer.alloc(300_000, 'x\n')), form()))
  expect(largest).toMatchObject({ payloadSize: 300_000n })
  await until(async () => (await counts()).chunks === before.chunks + Math.ceil(300_000 / chunkBytes))
  await small.stop()
})

test('without keys no file is stored', async () => {
  const keyless = await s.stage.boot('imports', s.start, s.loadConfig, { ...s.env, IMPORT_KEYS: '', ROLE: 'api' })
  const client = await s.stage.client(Imports, keyless.rpcPort!)
  const before = await counts()
  await expect(client.uploadImport(s.us, requests(data('email\n'), form()))).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'import_keys',
  })
  expect(await counts()).toEqual(before)
  await keyless.stop()
})

test('new files are encrypted with the first key', async () => {
  const newKey = `k9:${Buffer.alloc(32, 9).toString('base64url')}`
  const rotated = await s.stage.boot('imports', s.start, s.loadConfig, {
    ...s.env,
    IMPORT_KEYS: `${newKey},${importKeys}`,
    ROLE: 'api',
  })
  const client = await s.stage.client(Imports, rotated.rpcPort!)
  const { import: made } = await client.uploadImport(s.us, requests(data('email\n'), form()))
  const [row] = await s.stage.query<{ sealed_key: string }>(
    'select sealed_key from imports.import_jobs where id = $1',
    [made!.id],
  )
  expect(row!.sealed_key).toMatch(/^k9:/)
  await rotated.stop()
})

test('uploads are counted by outcome', async () => {
  const uploads = await s.api.service.metrics.getSingleMetricAsString('lettergate_import_uploads_total')
  for (const outcome of ['stored', 'refused', 'broken'])
    expect(uploads).toMatch(new RegExp(`outcome="${outcome}".* [1-9]`))
})

test('a workspace with many open imports uploads no further file until one of them ends', async () => {
  await upload('email\nada@example.com\n')
  await s.stage.query(
    `insert into imports.import_jobs (workspace_id, id, audience_id, filename, source_label, file_sha256, payload_size, chunk_count,
            sealed_key, encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at)
     select workspace_id, gen_random_uuid(), audience_id, 'many.csv', source_label, file_sha256, payload_size, chunk_count, sealed_key,
            encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at
       from (select * from imports.import_jobs where workspace_id = $1 limit 1) j, generate_series(1, 50)`,
    [s.workspaceId],
  )
  const before = await counts()
  await expect(upload('email\nada@example.com\n')).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'open_imports',
  })
  expect(await counts()).toEqual(before)
  await s.stage.query(`delete from imports.import_jobs where filename = 'many.csv'`)
  await upload('email\nada@example.com\n')
})
