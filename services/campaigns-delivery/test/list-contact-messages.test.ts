import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'
import { insertFacts } from './message-rows.ts'

let rig: DeliveryStage
beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
afterAll(() => rig.close())

const messages = async (contactId: string, page: { limit?: number; cursor?: string } = {}, caller = rig.us) =>
  rig.campaigns.listContactMessages(caller, { contactId, ...page })

test('the messages of runs and automations to a contact are listed with their states, newest first, page by page', async () => {
  const audienceId = await rig.audience()
  const contactId = await rig.subscriber(audienceId, 'ada@example.org')
  expect((await messages(contactId)).messages).toEqual([])
  const { campaignId } = await rig.draft(audienceId)
  const { id: runId } = await rig.schedule(campaignId, { inMs: 1_000 })
  await until(async () => (await rig.report(runId)).run.state === 'completed', { what: 'the run to complete' })
  await until(async () => (await messages(contactId)).messages[0]?.state === 'delivered', { what: 'the delivery' })
  const [sent] = (await messages(contactId)).messages
  expect(sent).toMatchObject({ audienceId, runId, campaignId, reasons: [], handedOffAt: expect.anything() })
  expect([sent!.subject, sent!.campaignName]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
  expect([sent!.deliveredAt, sent!.complainedAt]).toEqual([expect.anything(), undefined])
  const { workspaceId } = rig
  const suppressedAt = new Date(Date.UTC(2026, 10, 21, 12, 10))
  await insertFacts(rig.stage, { workspaceId, originId: runId, messageId: sent!.id }, [
    { fact: 'complained' },
    { fact: 'hard_bounced', at: new Date(Date.UTC(2026, 10, 21, 13, 10)) },
    { fact: 'provider_suppressed', at: suppressedAt },
  ])
  // The first of both is the bounce, as in the list of recipients.
  const bounced = { bouncedAt: timestampFromDate(suppressedAt) }
  expect((await messages(contactId)).messages).toMatchObject([{ complainedAt: expect.anything(), ...bounced }])
  const { recipients } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId })
  expect(recipients).toMatchObject([bounced])

  const [id, automationId, enrollmentId] = [newId(), newId(), newId()]
  await rig.stage.query(
    `insert into campaigns.automation_emails (workspace_id, id, automation_id, enrollment_id, batch, contact_id, sender_identity_id, content_version_id, correlation_id)
     select workspace_id, $1, $2, $3, 0, $4, $1, id, 'c' from campaigns.content_versions where workspace_id = $5 limit 1`,
    [id, automationId, enrollmentId, contactId, workspaceId],
  )
  await insertFacts(rig.stage, { workspaceId, originId: automationId, messageId: id }, [
    { fact: 'skipped', reasons: ['consent_withdrawn'] },
  ])
  const first = await messages(contactId, { limit: 1 })
  expect(first.messages).toMatchObject([
    { id, automationId, enrollmentId, state: 'skipped', reasons: ['consent_withdrawn'] },
  ])
  expect([first.messages[0]!.runId, first.messages[0]!.handedOffAt]).toEqual([undefined, undefined])
  const rest = await messages(contactId, { limit: 1, cursor: first.nextCursor! })
  expect(rest.messages).toMatchObject([{ runId }])
  expect(rest.nextCursor).toBeUndefined()

  for (const other of [newId(), 'no-id']) expect((await messages(other)).messages).toEqual([])
  expect((await messages(contactId, {}, rig.stage.caller({ workspaceId: newId() }))).messages).toEqual([])
  await expect(messages(contactId, { limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument', reason: 'limit' })
  await expect(messages(contactId, { cursor: 'x' })).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'cursor',
  })
})

test('a run that was taken back before it began has no messages', async () => {
  const audienceId = await rig.audience()
  const contactId = await rig.subscriber(audienceId, 'ben@example.org')
  const { campaignId } = await rig.draft(audienceId)
  const { id: runId } = await rig.schedule(campaignId, { inMs: 3_600_000 })
  expect((await messages(contactId)).messages).toMatchObject([{ runId, state: 'pending' }])
  await rig.campaigns.unscheduleCampaignRun(rig.us, { runId })
  expect((await messages(contactId)).messages).toEqual([])
})
