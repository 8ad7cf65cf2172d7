import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openResend, phrase, type ResendStage } from './resend-stage.ts'

let rig: ResendStage
let unknown: Awaited<ReturnType<ResendStage['unknownRun']>>
beforeAll(async () => {
  rig = await openResend()
  await rig.work()
  unknown = await rig.unknownRun(2)
})
afterEach(async () => {
  expect(await rig.runsOf(unknown.campaignId)).toHaveLength(1)
  expect(await rig.mailed()).toEqual([])
})
afterAll(() => rig.close())

// Nothing is sent and no run is created:

test.each(['', 'SEND UNKNOWN AGAIN', `${phrase}.`, phrase.toLowerCase()])(
  'with the words "%s"',
  async (confirmation) => {
    await expect(rig.resend(unknown.run.id, 2, { confirmation })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'confirmation',
      message: expect.stringContaining(phrase),
    })
  },
)

test.each([0, -1])('with the count %d', async (count) => {
  await expect(rig.resend(unknown.run.id, count)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'count' })
})

test.each([1, 3])('with the count %d when two are unknown, and the error says so', async (count) => {
  await expect(rig.resend(unknown.run.id, count)).rejects.toMatchObject({
    code: 'conflict',
    reason: 'count',
    message: expect.stringContaining('is 2 now'),
  })
})

test('without a key, or with a key that is too long', async () => {
  for (const key of ['', 'k'.repeat(201)])
    await expect(rig.resend(unknown.run.id, 2, { key })).rejects.toMatchObject({ reason: 'Idempotency-Key' })
})

test('of an unknown run, or a run of another tenant', async () => {
  const them = rig.stage.caller({ workspaceId: newId() })
  const request = { count: 2, confirmation: phrase, idempotencyKey: newId() }
  for (const [caller, runId] of [
    [them, unknown.run.id],
    [rig.us, newId()],
    [rig.us, 'no-id'],
  ] as const)
    await expect(rig.campaigns.resendCampaignRunUnknown(caller, { ...request, runId })).rejects.toMatchObject({
      code: 'not_found',
      reason: 'campaign_run',
    })
})

test('of a run that is not over', async () => {
  const { campaignId } = await rig.draft(unknown.audienceId)
  const { id } = await rig.schedule(campaignId, { inMs: 3_600_000 })
  await expect(rig.resend(id, 2)).rejects.toMatchObject({
    code: 'failed_precondition',
    reason: 'run_state',
    message: expect.stringContaining('this one is scheduled'),
  })
  await rig.cancel(id)
  await expect(rig.resend(id, 2)).rejects.toMatchObject({ code: 'failed_precondition', reason: 'nobody_unknown' })
})

test.each<[reason: string, close: () => Promise<unknown>, open: () => Promise<unknown>]>([
  ['production_switch', () => rig.setGate(false), () => rig.setGate(true)],
  ['workspace_sending_disabled', () => rig.setWorkspace({ sending: false }), () => rig.setWorkspace({})],
  ['workspace_archived', () => rig.setWorkspace({ isArchived: true }), () => rig.setWorkspace({})],
  [
    'sender_disabled',
    () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false'),
    () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true'),
  ],
  [
    'connection_not_verified',
    () => rig.changeSending('provider_connections', rig.connectionId, 'is_active = false'),
    () => rig.changeSending('provider_connections', rig.connectionId, 'is_active = true'),
  ],
  [
    'content_archived',
    () => rig.campaigns.archiveEmailTemplate(rig.us, { templateId: unknown.templateId }),
    () => rig.campaigns.archiveEmailTemplate(rig.us, { templateId: unknown.templateId, archived: false }),
  ],
  [
    'audience_archived',
    () => rig.stage.query('update contacts.audiences set archived_at = now() where id = $1', [unknown.audienceId]),
    () => rig.stage.query('update contacts.audiences set archived_at = null where id = $1', [unknown.audienceId]),
  ],
])('with the conditions of scheduling: %s', async (reason, close, open) => {
  const key = newId()
  await close()
  const refused = await rig.resend(unknown.run.id, 2, { key }).then(
    () => undefined,
    (error: unknown) => error,
  )
  await open()
  expect(refused).toMatchObject({ code: 'failed_precondition', reason })
  expect((refused as Error).message).not.toContain('draft')
  expect(await rig.stage.query('select 1 from campaigns.idempotency_keys where key = $1', [key])).toEqual([])
})
