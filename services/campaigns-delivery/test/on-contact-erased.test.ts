import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openTesting, type TestingStage } from './testing-stage.ts'

let rig: TestingStage
beforeAll(async () => {
  rig = await openTesting()
  await rig.worker()
})
afterAll(() => rig.close())

const addresses = async (table: 'run_recipients' | 'test_sends', contactId: string) =>
  rig.stage.query<{ id: string; address: string }>(
    `select id, ${table === 'test_sends' ? 'recipient_email' : 'normalized_email'} as address
       from campaigns.${table} where contact_id = $1 order by id`,
    [contactId],
  )
const completed = (runId: string) =>
  until(async () => {
    const { run, report } = await rig.report(runId)
    return run.state === 'completed' && report
  })

test('a contact who is erased while a run waits is skipped with a reason, and nothing is sent', async () => {
  const audience = await rig.audience()
  const leaving = `leaving-${randomUUID()}@example.org`
  const contactId = await rig.subscriber(audience, leaving)
  await rig.subscriber(audience, `staying-${randomUUID()}@example.org`)
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: 3_600_000 })
  expect(run.includedCount).toBe(2)
  const erasure = await rig.erased(contactId)
  expect(erasure.services.find(({ service }) => service === 'campaigns-delivery')!.removed).toMatchObject({
    run_recipients: 1,
  })
  await rig.begin(run.id)
  const report = await completed(run.id)
  expect(report).toMatchObject({ sent: 1, skipped: 1, skipReasons: expect.objectContaining({ contact_missing: 1 }) })
  expect((await rig.messages()).filter(({ to }) => to === leaving)).toEqual([])
  const [message] = await addresses('run_recipients', contactId)
  expect(message!.address).toBe(`erased:${message!.id}`)
})

test('the report of an ended run still adds up, and its erased recipients are listed without an address', async () => {
  const audience = await rig.audience()
  const email = `done-${randomUUID()}@example.org`
  const contactId = await rig.subscriber(audience, email)
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: 300 })
  await completed(run.id)
  const before = await until(async () => {
    const { report } = await rig.report(run.id)
    return report.delivered === 1 && report
  })
  await rig.erased(contactId)
  expect((await rig.report(run.id)).report).toEqual(before)
  const { recipients } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: run.id })
  expect(recipients).toMatchObject([{ contactId, state: 'delivered', email: `erased:${recipients[0]!.id}` }])
})

test('a snapshot that read a contact before the erasure does not restore the address', async () => {
  const audience = await rig.audience()
  const contactId = await rig.subscriber(audience, `read-early-${randomUUID()}@example.org`)
  // the state of this service when the event arrives before the snapshot
  await rig.stage.query('insert into campaigns.erased_contacts (workspace_id, contact_id) values ($1, $2)', [
    rig.workspaceId,
    contactId,
  ])
  const { campaignId } = await rig.draft(audience)
  await rig.schedule(campaignId, { inMs: 60_000 })
  const [message] = await addresses('run_recipients', contactId)
  expect(message!.address).toBe(`erased:${message!.id}`)
})

test('messages of test sends lose the address, also those from before the person was a contact', async () => {
  const email = `Tested-${randomUUID()}@example.org`
  const key = randomUUID()
  const early = await rig.send({ recipientEmail: email, idempotencyKey: key })
  const other = await rig.send({ recipientEmail: `other-${randomUUID()}@example.org` })
  const { contact } = await rig.contacts.upsertContact(rig.us, { email, source: 'test' })
  const late = await rig.send({ recipientEmail: email.toUpperCase() })
  const erasure = await rig.erased(contact!.id)
  expect(erasure.services.find(({ service }) => service === 'campaigns-delivery')!.removed).toMatchObject({
    test_sends: 2,
  })
  expect((await addresses('test_sends', contact!.id)).map(({ address }) => address).toSorted()).toEqual(
    [early.id, late.id].map((id) => `erased:${id}`).toSorted(),
  )
  expect((await rig.listed(other.id)).recipientEmail).toBe(other.recipientEmail)
  // the request hash is removed, because the address could be guessed from it
  await expect(rig.send({ recipientEmail: email, idempotencyKey: key })).rejects.toMatchObject({ code: 'conflict' })
})

test('a test message to a contact who is being erased is refused', async () => {
  const email = `at-once-${randomUUID()}@example.org`
  const { contact } = await rig.contacts.upsertContact(rig.us, { email, source: 'test' })
  await rig.stage.query('insert into campaigns.erased_contacts (workspace_id, contact_id) values ($1, $2)', [
    rig.workspaceId,
    contact!.id,
  ])
  await expect(rig.send({ recipientEmail: email })).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'recipient_erased',
  })
  expect(await addresses('test_sends', contact!.id)).toEqual([])
})
