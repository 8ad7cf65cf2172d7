import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contexts, openDatabase } from '@lettergate/database'
import { createService } from '@lettergate/service'
import { parseSealingKeys } from '@lettergate/sealing'
import type { Ctx } from '../../src/ctx.ts'
import { entities } from '../../src/entities.ts'
import { requireJob } from '../../src/jobs/import-job.entity.ts'
import { readPayload } from '../../src/payload/read-payload.ts'
import { importKeys, openImports, type ImportsStage } from '../imports-stage.ts'

let s: ImportsStage
const service = createService('imports', { logLevel: 'silent' })
let ctxWith: (keys: string) => Ctx
beforeAll(async () => {
  s = await openImports()
  const url = s.stage.databaseUrl('imports')
  const db = await service.use(openDatabase(service, { url, schema: 'imports', entities }))
  ctxWith = (keys) =>
    contexts(db, service, { config: { importKeys: parseSealingKeys(keys) } }).ofCall(s.us) as unknown as Ctx
})
afterAll(async () => {
  await service.stop()
  await s.close()
})

const parts = Array.from({ length: 9 }, (_, position) => `row ${position}\n`)

/** Reads a payload to its end, or to its refusal. */
async function read(id: string, keys = importKeys) {
  const ctx = ctxWith(keys)
  const job = await ctx.tx((em) => requireJob(em, ctx.workspaceId, { id }))
  let text = ''
  try {
    for await (const bytes of readPayload(ctx, job)) text += bytes.toString()
  } catch (error) {
    return { text, error: error as Error & { reason?: string } }
  }
  return { text, error: undefined }
}
const change = (id: string, statement: string) =>
  s.stage.query(`update imports.import_chunks ${statement} and job_id = $1`, [id])

test('a file is read as it was uploaded', async () => {
  expect(await read(await s.stored(parts))).toEqual({ text: parts.join(''), error: undefined })
})

test.each([
  ['reordered', 'set position = case position when 2 then 30 else position end where true', 2],
  ['changed in one bit', `set ciphertext = set_bit(ciphertext, 3, 1 - get_bit(ciphertext, 3)) where position = 3`, 3],
  ['cut off within a chunk', `set ciphertext = substr(ciphertext, 1, length(ciphertext) - 1) where position = 4`, 4],
])('a file that was %s is refused, and only what stands before the place is read', async (_, statement, from) => {
  const id = await s.stored(parts)
  await change(id, statement)
  const { text, error } = await read(id)
  expect(error).toMatchObject({ code: 'failed_precondition', reason: 'payload_unreadable' })
  expect(text).toBe(parts.slice(0, from).join(''))
})

test('a file whose last chunks are missing is refused, also when the row of the import says so', async () => {
  const id = await s.stored(parts)
  await s.stage.query('delete from imports.import_chunks where job_id = $1 and position > 6', [id])
  expect((await read(id)).error).toMatchObject({ reason: 'payload_unreadable' })
  await s.stage.query('update imports.import_jobs set chunk_count = 7 where id = $1', [id])
  const { text, error } = await read(id)
  expect(error).toMatchObject({ reason: 'payload_unreadable' })
  expect(text).toBe(parts.slice(0, 6).join(''))
})

test('a file with two exchanged chunks, or with a chunk of another file, is refused', async () => {
  const [one, other] = [await s.stored(parts), await s.stored(parts)]
  const ciphertextOf = `(select ciphertext from imports.import_chunks where job_id = $2 and position = $3)`
  const put = (id: string, position: number, from: string, at: number) =>
    s.stage.query(
      `update imports.import_chunks set ciphertext = ${ciphertextOf} where job_id = $1 and position = ${position}`,
      [id, from, at],
    )
  await put(one, 5, other, 5)
  expect(await read(one)).toMatchObject({ text: parts.slice(0, 5).join(''), error: { reason: 'payload_unreadable' } })
  await put(other, 1, other, 2)
  expect(await read(other)).toMatchObject({ text: parts[0], error: { reason: 'payload_unreadable' } })
})

test('a file is read with an old key that is still configured, and with no other', async () => {
  const id = await s.stored(parts)
  const other = `k2:${Buffer.alloc(32, 7).toString('base64url')}`
  expect(await read(id, `${other},${importKeys}`)).toMatchObject({ text: parts.join('') })
  for (const keys of [other, importKeys.replace('k1', 'k3'), other.replace('k2', 'k1'), ''])
    expect(await read(id, keys)).toMatchObject({ text: '', error: { reason: 'payload_unreadable' } })
})

test('the encrypted key of another import opens nothing', async () => {
  const [one, other] = [await s.stored(parts), await s.stored(parts)]
  await s.stage.query(
    `update imports.import_jobs set sealed_key = (select sealed_key from imports.import_jobs where id = $2) where id = $1`,
    [one, other],
  )
  expect(await read(one)).toMatchObject({ text: '', error: { reason: 'payload_unreadable' } })
})

test('a destroyed file is unreadable', async () => {
  const id = await s.stored(parts)
  await s.imports.cancelImport(s.us, { jobId: id })
  expect(await read(id)).toMatchObject({ text: '', error: { reason: 'payload_unreadable' } })
})

test('no chunk in the database contains a plain text', async () => {
  await s.stored(parts)
  const rows = await s.stage.query<{ ciphertext: Buffer }>('select ciphertext from imports.import_chunks')
  for (const { ciphertext } of rows) expect(ciphertext.includes('row')).toBe(false)
})
