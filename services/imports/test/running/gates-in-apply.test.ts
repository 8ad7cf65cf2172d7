import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { peopleFile } from './files.ts'
import { openRunning, refusalOf, type RunningStage } from './running-stage.ts'

let s: RunningStage
let current: Awaited<ReturnType<RunningStage['worker']>>
const setSending = (isOn: boolean) =>
  s.stage.query('update identity.workspaces set production_sending_enabled = $1 where id = $2', [isOn, s.workspaceId])
const removeSenders = () => s.stage.query('delete from sending.sender_identities')
beforeAll(async () => {
  s = await openRunning()
})
beforeEach(async () => {
  current = await s.worker()
})
afterEach(async () => {
  await current.stop()
  await s.setGate('test_sends_enabled', false)
  await setSending(false)
  await removeSenders()
})
afterAll(() => s.close())

const batch = 2_000
/** Where a worker is stopped in the middle of a job, the next one waits for the end of its lease. */
const shortLease = { IMPORT_LEASE_SECONDS: '2' }
const batchesAtOnce = 3
let files = 0

/** People that no other file has. */
const newPeople = (rows: number) => peopleFile(rows, `gated${(files += 1)}.`)

/** An approved import that waits for a worker. The worker of this test is stopped. */
async function approvedWithoutWorker() {
  const id = await s.mapped(newPeople(10))
  await s.reached(id, 'ready_for_review')
  await current.stop()
  await s.approve(id)
  return id
}

/** The rest of an import that failed is applied by a retry, and no row twice. */
async function continues(id: string, addresses: number) {
  await s.imports.retryImport(s.us, { jobId: id })
  const done = await s.reached(id, 'completed')
  expect(done.error).toBeUndefined()
  expect(done.report).toMatchObject({ reconciliation: { matches: true }, applied: { contacts_new: addresses } })
  expect(await s.ledger(id)).toEqual({ rows: addresses, most: 1 })
}

const gates: [gate: string, open: () => Promise<unknown>, close: () => Promise<unknown>][] = [
  ['test_sends_enabled', () => s.setGate('test_sends_enabled', true), () => s.setGate('test_sends_enabled', false)],
  ['workspace_sending', () => setSending(true), () => setSending(false)],
  ['enabled_sender', () => s.enabledSender(), removeSenders],
]

test.each(gates)(
  'the gate %s that opens between approval and apply lets no row be written, and a retry applies every row',
  async (gate, open, close) => {
    const id = await approvedWithoutWorker()
    const before = await s.changed()
    await open()
    current = await s.worker()
    const failed = await s.reached(id, 'failed')
    expect(failed.error).toEqual({ reason: 'gate_open', gate, message: expect.stringContaining(`(${gate})`) })
    expect(failed).toMatchObject({ payloadRetained: true })
    expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
    expect(await s.changed()).toEqual(before)
    await close()
    await continues(id, Number(failed.report!['contacts_new']))
  },
)

test('the ceiling and the switch of production sending that open between approval and apply let no row be written', async () => {
  const id = await approvedWithoutWorker()
  const before = await s.changed()
  const gateway = await s.gatewayWithOpenCeiling()
  await s.setGate('production_sending_enabled', true)
  current = await s.worker({ IDENTITY_TARGET: gateway.identityTarget })
  const failed = await s.reached(id, 'failed')
  expect(failed.error).toEqual({
    reason: 'gate_open',
    gate: 'production_ceiling',
    message: expect.stringMatching(/\(production_ceiling\).*\(production_sending_enabled\)/),
  })
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
  expect(await s.changed()).toEqual(before)
  await s.setGate('production_sending_enabled', false)
  await current.stop()
  await gateway.stop()
  current = await s.worker()
  await continues(id, Number(failed.report!['contacts_new']))
})

test.each(gates)(
  'the gate %s that opens in the middle of an apply stops it before the next batch, and a retry continues where it stopped',
  async (gate, open, close) => {
    await current.stop()
    current = await s.worker(shortLease)
    const { id, lock, addresses } = await s.stuckInApply(newPeople(6 * batch))
    await open()
    await lock.release()
    const failed = await s.reached(id, 'failed')
    expect(failed.error).toEqual({ reason: 'gate_open', gate, message: expect.stringContaining(`(${gate})`) })
    expect(failed).toMatchObject({ payloadRetained: true, report: { contacts_new: addresses } })
    // At most the batches that were under way when it opened.
    const applied = await s.ledger(id)
    expect(applied.rows).toBeLessThanOrEqual(batchesAtOnce * batch)
    expect(await refusalOf(s.imports.retryImport(s.us, { jobId: id }))).toMatchObject({ reason: 'gate_open' })
    await current.stop()
    expect(await s.ledger(id)).toEqual(applied)
    await close()
    current = await s.worker()
    await continues(id, addresses)
  },
)

test('a gate that is closed again before the next batch does not stop the apply', async () => {
  const { id, lock, addresses } = await s.stuckInApply(newPeople(3 * batch))
  await s.setGate('test_sends_enabled', true)
  await s.setGate('test_sends_enabled', false)
  await lock.release()
  const done = await s.reached(id, 'completed')
  expect(done).toMatchObject({ attemptCount: 2, report: { reconciliation: { matches: true } } })
  expect(await s.ledger(id)).toEqual({ rows: addresses, most: 1 })
})

test('a gate that opens again after a retry stops the apply again, and every row is applied once', async () => {
  const { id, lock, addresses } = await s.stuckInApply(newPeople(6 * batch))
  await s.setGate('test_sends_enabled', true)
  await lock.release()
  await s.reached(id, 'failed')
  await s.setGate('test_sends_enabled', false)
  const again = await s.held('import_rows')
  await s.imports.retryImport(s.us, { jobId: id })
  await again.waited()
  await setSending(true)
  await again.release()
  expect((await s.reached(id, 'failed')).error).toMatchObject({ reason: 'gate_open', gate: 'workspace_sending' })
  await setSending(false)
  await continues(id, addresses)
})

test('gates that cannot be read for a moment hold the apply, which continues by itself', async () => {
  const id = await approvedWithoutWorker()
  const lock = await s.held('platform_gates', 'identity')
  current = await s.worker()
  await until(async () => JSON.stringify((await s.read(id)).report).includes('suppressions'))
  await lock.waited()
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
  await lock.release()
  expect((await s.reached(id, 'completed')).report).toMatchObject({ reconciliation: { matches: true } })
})

test('gates that nobody can read count as open: nothing is applied, and a retry applies every row', async () => {
  const id = await approvedWithoutWorker()
  const blind = await s.worker({ ...shortLease, IDENTITY_TARGET: '127.0.0.1:9' })
  const failed = await s.reached(id, 'failed')
  expect(failed.error).toEqual({
    reason: 'gate_open',
    gate: 'unreadable',
    message: expect.stringContaining('could not be read'),
  })
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
  await blind.stop()
  current = await s.worker()
  await continues(id, Number(failed.report!['contacts_new']))
})

test('a gate that opens while contacts-consent does not answer stops the apply before it repeats a call', async () => {
  const id = await approvedWithoutWorker()
  current = await s.worker({ CONTACTS_CONSENT_TARGET: '127.0.0.1:9' })
  await until(async () => (await s.read(id)).report?.['progress'] !== undefined)
  await s.setGate('test_sends_enabled', true)
  const failed = await s.reached(id, 'failed')
  expect(failed).toMatchObject({ error: { reason: 'gate_open', gate: 'test_sends_enabled' } })
  // The dry run and the apply, and one more if the apply already waited for contacts-consent: it waits 30 s, then it starts again.
  expect([2, 3]).toContain(failed.attemptCount)
  expect(await s.ledger(id)).toEqual({ rows: 0, most: 0 })
})
