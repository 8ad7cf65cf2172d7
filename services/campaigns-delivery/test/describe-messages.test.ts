import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openAutomationEmails, type AutomationStage } from './automation-stage.ts'
import { testGate } from './testing-stage.ts'

let rig: AutomationStage
beforeAll(async () => {
  rig = await openAutomationEmails()
  await rig.setGate(true, testGate)
})
afterAll(() => rig.close())

test('each message is described by what sent it and its recipient, only in its own workspace', async () => {
  const audience = await rig.audience()
  const ada = await rig.subscriber(audience, 'ada@example.org')
  const run = await rig.schedule((await rig.draft(audience)).campaignId)
  const [recipient] = await rig.stage.query<{ id: string }>(
    'select id from campaigns.run_recipients where run_id = $1',
    [run.id],
  )
  const { email, contactId } = await rig.person('ben')
  await rig.send([email])
  const { testSend } = await rig.campaigns.createTestSend(
    rig.us,
    {
      senderIdentityId: rig.senderId,
      contentVersionId: rig.contentVersionId,
      recipientEmail: 'cleo@example.org',
      confirmation: 'SEND TEST EMAIL',
      idempotencyKey: randomUUID(),
    },
    { timeoutMs: 30_000 },
  )
  const confirmationId = newId()
  await rig.stage.query(
    `insert into campaigns.confirmation_emails (workspace_id, id, contact_id, audience_id, sender_identity_id, content_version_id, is_waiting, expires_at, correlation_id)
     values ($1, $2, $3, $4, $5, $6, false, now(), 'test')`,
    [rig.workspaceId, confirmationId, ada, audience, rig.senderId, rig.contentVersionId],
  )
  const messageId = [recipient!.id, email.stepId, testSend!.id, confirmationId]
  const describe = async (ids: string[], caller = rig.us) =>
    (await rig.campaigns.describeMessages(caller, { messageId: ids })).messages
  const found = new Map(
    (await describe([...messageId, ...messageId, newId(), 'no-id'])).map((one) => [one.messageId, one]),
  )
  expect(found.size).toBe(4)
  expect(found.get(recipient!.id)).toMatchObject({
    kind: 'run',
    originId: run.id,
    campaignName: 'November',
    contactId: ada,
    email: 'ada@example.org',
  })
  expect(found.get(email.stepId)).toMatchObject({ kind: 'automation', originId: rig.automationId, contactId })
  expect(found.get(testSend!.id)).toMatchObject({ kind: 'test_send', email: 'cleo@example.org' })
  expect(found.get(confirmationId)).toMatchObject({ kind: 'confirmation', contactId: ada })
  for (const id of [email.stepId, confirmationId]) expect(found.get(id)!.email).toBeUndefined()

  expect(await describe(messageId, rig.stage.caller({ workspaceId: newId() }))).toEqual([])
  expect(await describe([])).toEqual([])
  await expect(describe(Array.from({ length: 201 }, newId))).rejects.toMatchObject({
    code: 'invalid_argument',
    reason: 'message_id',
  })
})
