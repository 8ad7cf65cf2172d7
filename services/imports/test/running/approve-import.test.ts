import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { sha256Of } from '@lettergate/canonical-json'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { unknownId } from '../imports-stage.ts'
import { openRunning, refusalOf, type RunningStage } from './running-stage.ts'

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
})
afterEach(async () => {
  await s.setGate('test_sends_enabled', false)
  await s.stage.query('update identity.workspaces set production_sending_enabled = false')
  await s.stage.query('delete from sending.sender_identities')
})
afterAll(() => s.close())

const audited = async (action: string) => {
  const rows = await s.stage.query<{ payload: Buffer }>(
    `select payload from imports.outbox where event = 'audit_recorded' order by id`,
  )
  return rows.map(({ payload }) => fromBinary(AuditRecordedSchema, payload)).filter((entry) => entry.action === action)
}

test('an approval binds the file, the mapping, the policies and the report, and queues the apply', async () => {
  const id = await s.reviewable()
  const approved = await s.approve(id)
  expect(approved).toMatchObject({ status: 'apply_queued', approvedByWalletId: 'tester', attemptCount: 0 })
  const [job] = await s.stage.query<Record<string, unknown>>(
    `select file_sha256, audience_id, mapping, consent_policy, policy, report_checksum from imports.import_jobs where id = $1`,
    [id],
  )
  expect(approved.approvalChecksum).toBe(sha256Of(job))
  expect(approved.reportChecksum).toBe(sha256Of(approved.report))
  const entries = (await audited('import_approved')).filter(({ subjectId }) => subjectId === id)
  expect(entries).toMatchObject([
    { subjectType: 'import', actor: 'tester', detail: { approval_checksum: approved.approvalChecksum } },
  ])
})

test.each([
  (id: string) => `apply csv import ${id} to acme/news`,
  (id: string) => `APPLY CSV IMPORT ${id} TO acme/other`,
  (id: string) => `APPLY CSV IMPORT ${newId()} TO acme/news ${id}`,
  (id: string) => ` APPLY CSV IMPORT ${id} TO acme/news`,
  () => '',
])('only the exact confirmation counts (%#)', async (text) => {
  const id = await s.reviewable()
  expect(await refusalOf(s.imports.approveImport(s.us, { jobId: id, confirmation: text(id) }))).toMatchObject({
    code: 'invalid_argument',
    reason: 'confirmation',
    message: `confirmation must be exactly: ${s.confirmation(id)}`,
  })
  expect((await s.read(id)).status).toBe('ready_for_review')
})

test('an id in another letter case names the same import, and the confirmation has it in lower case', async () => {
  const id = await s.reviewable()
  await s.imports.approveImport(s.us, { jobId: id.toUpperCase(), confirmation: s.confirmation(id) })
  expect((await s.read(id)).status).toBe('apply_queued')
})

test('an import that is missing, malformed or of another workspace is not there', async () => {
  const id = await s.reviewable()
  for (const jobId of [unknownId, 'nonsense']) {
    expect(
      await refusalOf(s.imports.approveImport(s.us, { jobId, confirmation: s.confirmation(jobId) })),
    ).toMatchObject({ code: 'not_found' })
    expect(await refusalOf(s.imports.retryImport(s.us, { jobId }))).toMatchObject({ code: 'not_found' })
  }
  const them = s.stage.caller({ workspaceId: newId(), organization: 'acme', workspace: 'news' })
  expect(await refusalOf(s.imports.approveImport(them, { jobId: id, confirmation: s.confirmation(id) }))).toMatchObject(
    { code: 'not_found' },
  )
  expect(await refusalOf(s.imports.retryImport(them, { jobId: id }))).toMatchObject({ code: 'not_found' })
})

test('of concurrent approvals exactly one is accepted, and it is audited once', async () => {
  const id = await s.reviewable()
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => s.approve(id)))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const answer of answers)
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({ code: 'failed_precondition', reason: 'import_status' })
  expect((await audited('import_approved')).filter(({ subjectId }) => subjectId === id)).toHaveLength(1)
})

test.each(['uploaded', 'dry_run_queued', 'apply_queued', 'failed'])(
  'an import that is %s is not approved',
  async (status) => {
    const id = await s.reviewable()
    await s.change(id, `status = '${status}', error = '{"reason": "x"}'`)
    expect(await refusalOf(s.approve(id))).toMatchObject({ code: 'failed_precondition', reason: 'import_status' })
    const kept = await s.read(id)
    expect([kept.status, kept.approvedByWalletId]).toEqual([status, undefined])
  },
)

test('a report that was changed after the dry run is not approved', async () => {
  const id = await s.reviewable()
  await s.change(id, `report = report || '{"rows_total": 2}'`)
  expect(await refusalOf(s.approve(id))).toMatchObject({ code: 'failed_precondition', reason: 'report_changed' })
})

test('an approval that names a report approves only this one', async () => {
  const id = await s.reviewable()
  const { reportChecksum } = await s.read(id)
  const request = { jobId: id, confirmation: s.confirmation(id) }
  for (const other of ['0'.repeat(64), '', reportChecksum!.slice(1)])
    expect(await refusalOf(s.imports.approveImport(s.us, { ...request, reportChecksum: other }))).toMatchObject({
      code: 'conflict',
      reason: 'report_checksum',
    })
  expect((await s.read(id)).status).toBe('ready_for_review')
  const { import: approved } = await s.imports.approveImport(s.us, { ...request, reportChecksum })
  expect(approved!.status).toBe('apply_queued')
})

test('an import that is mapped again while it is approved is not approved, also with the same counts', async () => {
  const id = await s.reviewable()
  const lock = await s.held('platform_gates', 'identity')
  const refused = refusalOf(s.approve(id))
  await lock.waited()
  await s.change(id, `epoch = epoch + 3, mapping = '{"email": "email"}'`)
  await lock.release()
  expect(await refused).toMatchObject({ code: 'failed_precondition', reason: 'report_changed' })
  expect((await s.read(id)).status).toBe('ready_for_review')
})

test('an import whose time is over is neither approved nor retried, also before the sweep', async () => {
  const [waiting, failed] = [await s.reviewable(), await s.reviewable()]
  await s.change(failed, `status = 'failed', error = '{"reason": "x"}'`)
  for (const id of [waiting, failed]) await s.change(id, `expires_at = now() - interval '1 second'`)
  for (const call of [s.approve(waiting), s.imports.retryImport(s.us, { jobId: failed })])
    expect(await refusalOf(call)).toMatchObject({
      code: 'failed_precondition',
      reason: 'import_status',
      message: expect.stringContaining('has expired'),
    })
  expect([(await s.read(waiting)).status, (await s.read(failed)).status]).toEqual(['ready_for_review', 'failed'])
})

test('while anything can send, approval and retry are refused and name what is open', async () => {
  const id = await s.reviewable()
  const failed = await s.reviewable()
  await s.approve(failed)
  await s.change(failed, `status = 'failed', error = '{"reason": "x"}'`)
  const refusedFor = async (gate: string) => {
    for (const call of [s.approve(id), s.imports.retryImport(s.us, { jobId: failed })]) {
      expect(await refusalOf(call)).toMatchObject({
        code: 'failed_precondition',
        reason: 'gate_open',
        message: expect.stringContaining(`(${gate})`),
      })
    }
  }
  await s.setGate('test_sends_enabled', true)
  await refusedFor('test_sends_enabled')
  await s.setGate('test_sends_enabled', false)
  await s.stage.query('update identity.workspaces set production_sending_enabled = true where id = $1', [s.workspaceId])
  await refusedFor('workspace_sending')
  await s.stage.query('update identity.workspaces set production_sending_enabled = false where id = $1', [
    s.workspaceId,
  ])
  await s.enabledSender()
  await refusedFor('enabled_sender')
  await s.setGate('test_sends_enabled', true)
  await s.stage.query('update identity.workspaces set production_sending_enabled = true where id = $1', [s.workspaceId])
  expect((await refusalOf(s.approve(id))).message).toContain(
    'test sends are enabled (test_sends_enabled), a sender of this workspace is enabled (enabled_sender) and production sending of this workspace is on (workspace_sending). Close them first',
  )
  expect((await s.read(id)).status).toBe('ready_for_review')
  expect((await s.read(failed)).status).toBe('failed')
})

test('a retry continues the approval if everything is as it was approved, and otherwise begins with a dry run', async () => {
  const kept = await s.reviewable()
  await s.approve(kept)
  await s.change(kept, `status = 'failed', error = '{"reason": "gate_open"}', rows_applied_through = 5`)
  const { import: goesOn } = await s.imports.retryImport(s.us, { jobId: kept })
  expect(goesOn).toMatchObject({ status: 'apply_queued', approvedByWalletId: 'tester' })
  expect(goesOn!.error).toBeUndefined()
  expect(
    await s.stage.query('select rows_applied_through as done, starts from imports.import_jobs where id = $1', [kept]),
  ).toEqual([{ done: 5, starts: 0 }])

  const changed = await s.reviewable()
  await s.approve(changed)
  await s.change(changed, `status = 'failed', error = '{"reason": "x"}', mapping = '{"email": "email"}'`)
  const { import: again } = await s.imports.retryImport(s.us, { jobId: changed })
  expect(again).toMatchObject({ status: 'dry_run_queued', report: {} })
  expect([again!.approvalChecksum, again!.reportChecksum]).toEqual([undefined, undefined])

  const neverApproved = await s.reviewable()
  await s.change(neverApproved, `status = 'failed', error = '{"reason": "x"}'`)
  expect((await s.imports.retryImport(s.us, { jobId: neverApproved })).import!.status).toBe('dry_run_queued')
  expect((await audited('import_retried')).map(({ detail }) => detail)).toEqual([
    { continues: 'apply', after: 'gate_open' },
    { continues: 'dry_run', after: 'x' },
    { continues: 'dry_run', after: 'x' },
  ])
})

test.each(['uploaded', 'ready_for_review', 'apply_queued', 'dry_run_queued'])(
  'an import that is %s is not retried',
  async (status) => {
    const id = await s.reviewable()
    await s.change(id, `status = '${status}'`)
    expect(await refusalOf(s.imports.retryImport(s.us, { jobId: id }))).toMatchObject({ reason: 'import_status' })
  },
)
