import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { lab } from '@lettergate/gateway/test/gateway-stage'
import { bytesMax, csv, path, uploadStage, type UploadStage } from './upload-stage.ts'

let s: UploadStage
beforeAll(async () => {
  s = await uploadStage()
})
afterAll(() => s.close())

test('an upload is 201 with the import, which can be read, listed and cancelled', async () => {
  const file = 'email,name\nada@example.com,Ada\n'
  const uploaded = await s.upload()
  expect(uploaded).toMatchObject({ status: 201 })
  const { import: made } = uploaded
  expect(made).toEqual({
    id: expect.any(String),
    status: 'uploaded',
    filename: 'people.csv',
    source_label: 'CRM',
    audience_id: s.audienceId,
    file_sha256: createHash('sha256').update(file).digest('hex'),
    payload_size: file.length,
    payload_retained: true,
    headers: ['email', 'name'],
    mapping: {},
    consent_policy: null,
    policy: {},
    report: {},
    report_checksum: null,
    approval_checksum: null,
    requested_by_wallet_id: 'editor',
    approved_by_wallet_id: null,
    attempt_count: 0,
    created_at: expect.any(String),
    expires_at: expect.any(String),
    completed_at: null,
    error: null,
  })
  const one = await s.gateway.call('GET', `${path}/${String(made!['id'])}`, { as: 'analyst' })
  expect(one).toMatchObject({ status: 200, json: { import: made } })
  const all = await s.gateway.call('GET', path, { as: 'analyst' })
  expect(all.json['imports']).toContainEqual(made)
  const cancelled = await s.gateway.call('POST', `${path}/${String(made!['id'])}/cancel`, { as: 'editor' })
  expect(cancelled).toMatchObject({ status: 200, json: { import: { status: 'cancelled', payload_retained: false } } })
  const again = await s.gateway.call('POST', `${path}/${String(made!['id'])}/cancel`, { as: 'editor' })
  expect([again.status, again.headers.get('x-error-reason')]).toEqual([422, 'import_status'])
})

test('a field that the form does not have is ignored, like unknown properties of other requests', async () => {
  expect(await s.upload({ other: 'x' })).toMatchObject({ status: 201, import: { mapping: {} } })
})

test('an archived workspace takes uploads like other writes', async () => {
  await s.gateway.stage.query(
    `insert into contacts.audiences (workspace_id, id, name, slug, purpose)
     select id, $1, 'Lab', 'lab', 'tests' from identity.workspaces where slug = 'synthetic-lab'`,
    [randomUUID()],
  )
  const [found] = await s.gateway.stage.query<{ id: string }>(`select id from contacts.audiences where slug = 'lab'`)
  expect(await s.upload({ audience_id: found!.id }, { as: 'owner', at: `${lab}/imports/csv` })).toMatchObject({
    status: 201,
  })
})

describe('the order of checks', () => {
  const bad = { file: null, audience_id: 'x', source_label: null }
  test.each<[string, number, Parameters<UploadStage['upload']>[1], Parameters<UploadStage['upload']>[0]]>([
    ['401 before all', 401, { as: null, at: path.replace('acme', 'nowhere') }, bad],
    ['404 for the workspace', 404, { as: 'outsider' }, bad],
    ['403 for the role', 403, { as: 'analyst' }, bad],
    ['403 before the content type', 403, { as: 'analyst', headers: { 'content-type': 'text/plain' } }, bad],
    ['415 before the fields', 415, { headers: { 'content-type': 'application/json' } }, bad],
    ['422 for the fields', 422, {}, bad],
  ])('%s', async (_, status, how, fields) => {
    expect((await s.keepsNothing(() => s.upload(fields, how))).status).toBe(status)
  })

  test('all invalid fields are named together, before the file and the audience are looked at', async () => {
    const { status, text, reason } = await s.upload({ file: csv('\u0000'), audience_id: 'x', source_label: '' })
    expect([status, reason]).toEqual([422, 'invalid_audience_id'])
    expect(text).toContain('audience_id must be')
    expect(text).toContain('source_label must not be empty')
  })

  test("another workspace's import is 404 for every operation", async () => {
    const { import: made } = await s.upload()
    const theirs = path.replace('acme/workspaces/newsletter', 'globex/workspaces/main')
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/cancel'],
    ]) {
      const answer = await s.gateway.call(method!, `${theirs}/${String(made!['id'])}${end}`, { as: 'outsider' })
      expect(answer.status).toBe(404)
    }
    const listed = await s.gateway.call('GET', theirs, { as: 'outsider' })
    expect(listed).toMatchObject({ status: 200, json: { imports: [] } })
  })
})

test.each<[string, Record<string, string | Blob | null>, number, string]>([
  ['no file', { file: null }, 422, 'invalid_file'],
  ['a file without bytes', { file: csv('') }, 422, 'invalid_file'],
  ['a file that is a text', { file: 'email\n' }, 422, 'invalid_file'],
  ['another file type', { file: csv('email\n', 'application/vnd.ms-excel') }, 422, 'invalid_file'],
  ['a spreadsheet', { file: csv('PK\u0003\u0004') }, 422, 'invalid_file_type'],
  ['a NUL', { file: csv('email\n\u0000') }, 422, 'invalid_file_type'],
  ['no label', { source_label: null }, 422, 'invalid_source_label'],
  ['an unknown encoding', { encoding: 'ebcdic' }, 422, 'invalid_encoding'],
  ['an unknown audience', { audience_id: '0190a3a0-0000-7000-8000-000000000000' }, 422, 'invalid_audience_id'],
  ['a file above the limit', { file: csv(`email\n${'x'.repeat(bytesMax)}`) }, 413, 'body_too_large'],
])('%s is refused with a page, and nothing is kept', async (_, fields, status, reason) => {
  const answer = await s.keepsNothing(() => s.upload(fields))
  expect([answer.status, answer.reason]).toEqual([status, reason])
  expect(answer.text).toContain('<html')
})

test('a field and a file that are given twice are refused', async () => {
  for (const name of ['file', 'source_label']) {
    const form = new FormData()
    form.append('audience_id', s.audienceId)
    for (let n = 0; n < 2; n += 1) {
      form.append('file', csv('email\n'), 'people.csv')
      if (name === 'source_label' || n === 0) form.append('source_label', 'CRM')
      if (name === 'source_label' && n === 0) form.delete('file')
    }
    const response = await s.keepsNothing(() =>
      fetch(`${s.gateway.baseUrl}${path}`, {
        method: 'POST',
        headers: { authorization: 'Bearer wallet-session-dev-editor' },
        body: form,
      }),
    )
    expect([response.status, response.headers.get('x-error-reason')]).toEqual([422, `invalid_${name}`])
  }
})
