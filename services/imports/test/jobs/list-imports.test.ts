import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openImports, unknownId, type ImportsStage } from '../imports-stage.ts'

let s: ImportsStage
beforeAll(async () => {
  s = await openImports()
})
afterAll(() => s.close())

test('imports are listed newest first, only those of the own workspace', async () => {
  const ids = [await s.stored(), await s.stored(), await s.stored()]
  const theirs = await s.stored(undefined, s.them)
  const listed = async (scope = s.us) => (await s.imports.listImports(scope, {})).imports.map(({ id }) => id)
  expect(await listed()).toEqual(ids.toReversed())
  expect(await listed(s.them)).toEqual([theirs])
})

test('a new import has no mapping, policy, report and approval yet', async () => {
  const id = await s.stored(['email,first_name\n', 'ada@example.com,Ada\n'])
  const { import: found } = await s.imports.getImport(s.us, { jobId: id.toUpperCase() })
  expect(found).toMatchObject({
    id,
    status: 'uploaded',
    filename: 'people.csv',
    sourceLabel: 'CRM',
    payloadSize: 37n,
    payloadRetained: true,
    headers: ['email'],
    mapping: {},
    policy: {},
    report: {},
    attemptCount: 0,
    requestedByWalletId: 'tester',
  })
  for (const field of [
    'consentPolicy',
    'reportChecksum',
    'approvalChecksum',
    'approvedByWalletId',
    'completedAt',
    'error',
  ])
    expect(found).not.toHaveProperty(field, expect.anything())
})

test('a running import reports only its progress', async () => {
  const id = await s.stored()
  await s.stage.query(
    `update imports.import_jobs set status = 'dry_run_running', report = '{"rows_total": 5}',
            progress = '{"phase": "evaluate", "rows_done": 3, "rows_total": null}' where id = $1`,
    [id],
  )
  expect((await s.imports.getImport(s.us, { jobId: id })).import!.report).toEqual({
    progress: { phase: 'evaluate', rows_done: 3, rows_total: null },
  })
})

test("another tenant's import looks like a missing one", async () => {
  const theirs = await s.stored(undefined, s.them)
  for (const jobId of [theirs, unknownId, 'x', ''])
    await expect(s.imports.getImport(s.us, { jobId })).rejects.toMatchObject({ code: 'not_found', reason: 'import' })
})

test('imports with very large headers and mappings still fit into one answer', async () => {
  const scope = s.stage.caller({ workspaceId: '0190a3a0-0000-7000-8000-00000000000a' })
  await s.stored(undefined, scope)
  await s.stage.query(
    `insert into imports.import_jobs (workspace_id, id, audience_id, filename, source_label, file_sha256, payload_size, chunk_count,
            sealed_key, encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at)
     select workspace_id, gen_random_uuid(), audience_id, filename, source_label, file_sha256, payload_size, chunk_count, sealed_key,
            encoding, delimiter, (select jsonb_agg(repeat('x', 500) || n) from generate_series(1, 200) n), requested_by_wallet_id,
            correlation_id, expires_at
       from imports.import_jobs, generate_series(1, 150) where workspace_id = $1`,
    [scope.caller.workspaceId],
  )
  const { imports } = await s.imports.listImports(scope, {})
  expect(imports.length).toBeGreaterThan(10)
  expect(imports.length).toBeLessThan(100)
})

test('the newest 1,000 are listed', async () => {
  const scope = s.stage.caller({ workspaceId: '0190a3a0-0000-7000-8000-00000000000b' })
  await s.stored(undefined, scope)
  await s.stage.query(
    `insert into imports.import_jobs (workspace_id, id, audience_id, filename, source_label, file_sha256, payload_size, chunk_count,
            sealed_key, encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at)
     select workspace_id, gen_random_uuid(), audience_id, filename, source_label, file_sha256, payload_size, chunk_count, sealed_key,
            encoding, delimiter, headers, requested_by_wallet_id, correlation_id, expires_at
       from imports.import_jobs, generate_series(1, 1100) where workspace_id = $1`,
    [scope.caller.workspaceId],
  )
  const ids = (await s.imports.listImports(scope, {})).imports.map(({ id }) => id)
  expect(ids).toHaveLength(1_000)
  expect(ids).toEqual(ids.toSorted().toReversed())
})
