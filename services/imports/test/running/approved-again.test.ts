import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openRunning, type RunningStage } from './running-stage.ts'

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
})
afterAll(() => s.close())

const csv = [
  'email,before,after',
  'ada@example.org,subscribed,unsubscribed',
  'bea@example.org,subscribed,subscribed',
  'cyd@example.org,pending,subscribed',
  'dee@example.org,unsubscribed,subscribed',
  '',
].join('\n')

/** An import of this file by its first status column, of which every row is applied, and whose worker stopped before the end. */
async function appliedButNotCompleted() {
  const as = await s.workspace('again')
  const id = await s.mapped(csv, { as, mapping: { email: 'email', before: 'status' } })
  const worker = await s.worker()
  await s.reached(id, 'ready_for_review', as)
  // Only the reconciliation reads this table.
  const lock = await s.held('evidence_erasures')
  await s.approve(id, as)
  await lock.waited()
  const stopping = worker.stop()
  await lock.release()
  await stopping
  expect(await s.read(id, as)).toMatchObject({ status: 'applying', payloadRetained: true })
  return { as, id }
}

test('an import whose reader changed in the middle of its apply is evaluated and approved again, and a changed mapping is applied to every row', async () => {
  const { as, id } = await appliedButNotCompleted()
  await s.change(id, 'reader_version = reader_version - 1')
  const worker = await s.worker()
  expect((await s.reached(id, 'completed', as)).error).toMatchObject({ reason: 'approval_invalid' })
  await s.imports.retryImport(as, { jobId: id })
  await s.reached(id, 'ready_for_review', as)
  const mapping = { email: 'email', after: 'status' }
  await s.imports.mapImport(as, { jobId: id, mapping, consentPolicy: 'status_column', policy: {} })
  const { report } = await s.reached(id, 'ready_for_review', as)
  expect(report).toMatchObject({
    suppressions_to_apply: 1,
    already_subscribed: 1,
    consent_to_record: 1,
    blocked_by_suppression: 1,
  })
  await s.approve(id, as)
  expect(await s.reached(id, 'completed', as)).toMatchObject({ report: { reconciliation: { matches: true } } })
  const { memberships } = await s.changed(as)
  expect(memberships).toEqual([
    { normalized_email: 'ada@example.org', is_active: false, consent: 'withdrawn' },
    { normalized_email: 'bea@example.org', is_active: true, consent: 'granted' },
    { normalized_email: 'cyd@example.org', is_active: true, consent: 'granted' },
    { normalized_email: 'dee@example.org', is_active: false, consent: 'withdrawn' },
  ])
  await worker.stop()
})

test('a batch of an apply that a retry has ended is not written any more', async () => {
  const as = await s.workspace('ended')
  const id = await s.mapped(csv, { as, mapping: { email: 'email', before: 'status' } })
  const first = await s.worker()
  await s.reached(id, 'ready_for_review', as)
  await first.stop()
  await s.approve(id, as)
  const lock = await s.held('platform_gates', 'identity')
  const late = await s.worker()
  await until(async () => JSON.stringify((await s.read(id, as)).report).includes('suppressions'))
  await lock.waited()
  // As another worker ends it that took it over.
  const failed = `status = 'failed', error = '{"reason": "approval_invalid"}', progress = null, lease_holder = null, lease_until = null`
  await s.change(id, `${failed}, stop_epoch = epoch, epoch = epoch + 1`)
  await s.imports.retryImport(as, { jobId: id })
  await lock.release()
  await s.reached(id, 'ready_for_review', as)
  await late.stop()
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
})

test('an approved import that another reader evaluated is not continued by a retry', async () => {
  const id = await s.reviewable()
  await s.approve(id)
  await s.change(id, `status = 'failed', error = '{"reason": "gate_open"}', reader_version = reader_version - 1`)
  expect((await s.imports.retryImport(s.us, { jobId: id })).import).toMatchObject({ status: 'dry_run_queued' })
})
