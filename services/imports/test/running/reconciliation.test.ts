import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fromBinary } from '@bufbuild/protobuf'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import type { CallScope } from '@lettergate/service'
import { openRunning, type RunningStage } from './running-stage.ts'

let s: RunningStage
beforeAll(async () => {
  s = await openRunning()
  await s.worker()
})
afterAll(() => s.close())

const file = (...lines: string[]) => `email,first_name,status\n${lines.join('\n')}\n`

const alertsOf = async (importId: string) =>
  (await s.stage.query<{ payload: Buffer }>(`select payload from imports.outbox where event = 'alert_raised'`))
    .map(({ payload }) => fromBinary(AlertRaisedSchema, payload))
    .filter(({ detail }) => detail?.['import_id'] === importId)

test('a person who is added and leaves between dry run and apply shows in the reconciliation and raises no alert', async () => {
  const as = await s.workspace('changed')
  const audienceId = await s.audience(as)
  const csv = file('ada@example.org,Ada,subscribed', 'bea@example.org,Bea,subscribed')
  const id = await s.mapped(csv, { as, audienceId })
  await s.reached(id, 'ready_for_review', as)
  const { contact } = await s.contacts.upsertContact(as, { email: 'ada@example.org', source: 'crm' })
  await s.contacts.unsubscribeContact(as, { contactId: contact!.id, audienceId })
  await s.approve(id, as)
  const { report } = await s.reached(id, 'completed', as)
  expect(report).toMatchObject({
    reconciliation: {
      expected: { contacts_new: 2, contacts_existing: 0, consent_recorded: 2, consents_in_record: 2 },
      actual: { contacts_new: 1, consent_recorded: 1, consents_in_record: 1 },
      matches: false,
    },
  })
  expect(await alertsOf(id)).toEqual([])
})

/** An import of three people whose rows are applied, and which waits for its reconciliation. */
async function waitingForReconciliation(as: CallScope) {
  const audienceId = await s.audience(as)
  const people = ['ada', 'bea', 'cyd'].map((name) => `${name}@example.org,${name},subscribed`)
  const id = await s.mapped(file(...people), { as, audienceId })
  await s.reached(id, 'ready_for_review', as)
  // Only the reconciliation reads this table.
  const lock = await s.held('evidence_erasures')
  await s.approve(id, as)
  await lock.waited()
  return { id, audienceId, lock }
}

test('people who change contacts before the reconciliation raise no alert', async () => {
  const as = await s.workspace('edited')
  const { id, audienceId, lock } = await waitingForReconciliation(as)
  const { contact } = await s.contacts.lookupContact(as, { email: 'ada@example.org' })
  await s.contacts.unsubscribeContact(as, { contactId: contact!.id, audienceId })
  await s.contacts.upsertContact(as, { email: 'bea@example.org', firstName: 'Beatrice', source: 'crm' })
  await lock.release()
  const { report } = await s.reached(id, 'completed', as)
  expect(report).toMatchObject({ reconciliation: { actual: { consents_in_record: 3, contacts_in_tables: 3 } } })
  expect(await alertsOf(id)).toEqual([])
})

test('an operator who resolves suppressions while an import is applied raises no alert', async () => {
  const as = await s.workspace('resolved')
  const audienceId = await s.audience(as)
  const members: string[] = []
  for (const email of ['ada@example.org', 'bea@example.org']) {
    const { contact } = await s.contacts.upsertContact(as, { email, source: 'crm' })
    await s.contacts.subscribeContact(as, { contactId: contact!.id, audienceId, source: 'form', wordingVersion: 'v1' })
    members.push(contact!.id)
  }
  const [ada, bea] = members
  await s.contacts.suppressContact(as, { contactId: bea!, scope: 'workspace', reason: 'hard_bounce' })
  const csv = file('ada@example.org,Ada,suppressed', 'bea@example.org,Bea,subscribed')
  const id = await s.mapped(csv, { as, audienceId })
  await s.reached(id, 'ready_for_review', as)
  const lock = await s.held('evidence_erasures')
  await s.approve(id, as)
  await lock.waited()
  const unresolved = await s.stage.query<{ id: string }>(
    'select id from contacts.suppressions where contact_id = any($1) and resolved_at is null',
    [members],
  )
  expect(unresolved).toHaveLength(2)
  for (const { id: suppressionId } of unresolved)
    await s.contacts.resolveSuppression(as, { suppressionId, resolutionReason: 'a mistake' })
  await lock.release()
  const { report } = await s.reached(id, 'completed', as)
  for (const contactId of [ada!, bea!])
    expect((await s.contacts.getEligibility(as, { contactId, audienceId })).eligibility!.reasons).toEqual([])
  expect(report).toMatchObject({ reconciliation: { actual: { brought_back: 0 }, matches: true } })
  expect(await alertsOf(id)).toEqual([])
})

test('an import whose ledger lacks a row of the file raises an alert with both numbers', async () => {
  const as = await s.workspace('lacking')
  const { id, lock } = await waitingForReconciliation(as)
  await s.stage.query('delete from contacts.import_rows where import_id = $1 and row_number = 2', [id])
  await lock.release()
  const { report } = await s.reached(id, 'completed', as)
  expect(report).toMatchObject({ reconciliation: { matches: false } })
  expect(await alertsOf(id)).toMatchObject([
    {
      code: 'import_not_reconciled',
      severity: 'warning',
      detail: {
        workspace_id: as.caller.workspaceId,
        differences: { ledger_rows: { expected: 3, actual: 2 } },
      },
    },
  ])
})

test('an import whose ledger names a consent that is not in the record raises an alert', async () => {
  const as = await s.workspace('unrecorded')
  const { id, lock } = await waitingForReconciliation(as)
  await s.stage.query('update contacts.import_rows set event_id = null where import_id = $1 and row_number = 2', [id])
  await lock.release()
  await s.reached(id, 'completed', as)
  expect(await alertsOf(id)).toMatchObject([
    { code: 'import_not_reconciled', detail: { differences: { consents_in_record: { expected: 3, actual: 2 } } } },
  ])
})

test('people who were refused and can get email after an import raise a critical alert', async () => {
  const as = await s.workspace('brought-back')
  const audienceId = await s.audience(as)
  const { contact } = await s.contacts.upsertContact(as, { email: 'ada@example.org', source: 'crm' })
  const request = { contactId: contact!.id, audienceId, source: 'form', wordingVersion: 'v1' }
  await s.contacts.subscribeContact(as, request)
  const id = await s.mapped(file('ada@example.org,Ada,unsubscribed'), { as, audienceId })
  await s.reached(id, 'ready_for_review', as)
  // As if the row had been applied, and somebody had changed the tables since.
  await s.stage.query(
    `insert into contacts.import_rows (workspace_id, import_id, pass, row_number, outcome, contact, contact_id, applied_at)
     values ($1, $2, 1, 1, 'withdrawn', 'existing', $3, now() + interval '1 minute')`,
    [as.caller.workspaceId, id, contact!.id],
  )
  await s.approve(id, as)
  await s.reached(id, 'completed', as)
  expect(await alertsOf(id)).toMatchObject([
    {
      code: 'import_brought_back',
      severity: 'critical',
      detail: { import_id: id, differences: { brought_back: { expected: 0, actual: 1 } } },
    },
  ])
})
