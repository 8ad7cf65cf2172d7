import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openTesting, testGate, type TestingStage } from './testing-stage.ts'

let rig: TestingStage
beforeAll(async () => {
  rig = await openTesting()
  await rig.worker()
})
afterAll(() => rig.close())

type Rehearsal = Awaited<ReturnType<TestingStage['rehearsal']>>
const untilIt = (id: string, holds: (rehearsal: Rehearsal) => boolean) =>
  until(async () => {
    const now = await rig.rehearsal(id)
    return holds(now) ? now : undefined
  })
const webhookUrl = () => `${rig.baseUrl}/webhooks/mailprovider/${rig.connectionId}`
const event = (more: object) => rig.sim('POST', '/events', { connection_webhook_url: webhookUrl(), ...more })

describe('a rehearsal', () => {
  test('is verified when the signed events of its message have arrived', async () => {
    const made = await rig.rehearse()
    expect(made.testSendRequestId).not.toBe('')
    const verified = await untilIt(made.id, ({ state }) => state === 'verified')
    expect(verified).toMatchObject({
      testSendRequestId: made.testSendRequestId,
      eventCounts: { accepted: 1, delivered: 1, failed: 0, opened: 0, clicked: 0, unsubscribed: 0, complained: 0 },
      reconciliation: {
        expected: ['accepted', 'delivered'],
        received: ['accepted', 'delivered'],
        missing: [],
        duplicates: 0,
        signatureFailures: 0,
      },
    })
    expect(verified.verifiedAt).toBeDefined()
    expect(verified.reconciliation!.failureReason).toBeUndefined()
    expect(await rig.listed(made.testSendRequestId)).toMatchObject({ purpose: 'rehearsal', state: 'delivered' })
  })

  test('shows missing, repeated and badly signed events, and is not verified by those', async () => {
    const made = await rig.rehearse({ recipientEmail: `q-${newId()}+silent@example.org` })
    await untilIt(made.id, ({ state, eventCounts }) => state === 'sent' && eventCounts['accepted'] === 1)
    const about = {
      user_variables: { message_id: made.testSendRequestId, test_send_id: made.testSendRequestId },
    }
    await event({ event: 'delivered', ...about, signing_key: 'not-the-key-of-this-connection' })
    await event({ event: 'opened', id: 'opened-1', ...about })
    for (let n = 0; n < 3; n += 1) await event({ event: 'opened', id: 'opened-1', ...about })
    const waiting = await untilIt(
      made.id,
      ({ reconciliation }) => reconciliation!.duplicates === 3 && reconciliation!.signatureFailures === 1,
    )
    expect(waiting).toMatchObject({
      state: 'sent',
      eventCounts: { accepted: 1, delivered: 0, opened: 1 },
      reconciliation: { received: ['accepted', 'opened'], missing: ['delivered'] },
    })
    await event({ event: 'delivered', ...about })
    await untilIt(made.id, ({ state }) => state === 'verified')
  })

  test('fails at its deadline; later events are counted and change nothing', async () => {
    const made = await rig.rehearse({ recipientEmail: `q-${newId()}+silent@example.org` })
    await untilIt(made.id, ({ state }) => state === 'sent')
    await rig.stage.query('update campaigns.rehearsals set deadline_at = now() where id = $1', [made.id])
    const failed = await untilIt(made.id, ({ state }) => state === 'failed')
    expect(failed.reconciliation).toMatchObject({ missing: ['delivered'], failureReason: 'events_missing' })
    await event({
      event: 'delivered',
      user_variables: { message_id: made.testSendRequestId, test_send_id: made.testSendRequestId },
    })
    const late = await untilIt(made.id, ({ eventCounts }) => eventCounts['delivered'] === 1)
    expect(late).toMatchObject({ state: 'failed', reconciliation: { missing: [], failureReason: 'events_missing' } })
    expect(late.verifiedAt).toBeUndefined()
    expect(await rig.listed(made.testSendRequestId)).toMatchObject({ state: 'delivered' })
  })

  test('fails when its message bounces', async () => {
    const made = await rig.rehearse({ recipientEmail: `q-${newId()}+hardbounce@example.org` })
    const failed = await untilIt(made.id, ({ state }) => state === 'failed')
    expect(failed.reconciliation).toMatchObject({ failureReason: 'hard_bounced' })
  })

  test('has the deadline of the configuration, by the database’s clock', async () => {
    const hasty = await rig.api({ REHEARSAL_DEADLINE_SECONDS: '7' })
    const { createdAt, reconciliation } = await rig.rehearse({}, hasty)
    expect(Number(reconciliation!.deadlineAt!.seconds - createdAt!.seconds)).toBeGreaterThanOrEqual(6)
    expect(Number(reconciliation!.deadlineAt!.seconds - createdAt!.seconds)).toBeLessThanOrEqual(60)
  })
})

test('duplicate requests and repeats of a key create one rehearsal', async () => {
  const input = rig.input({ confirmation: 'RUN CONTROLLED REHEARSAL' })
  const duplicates = await Promise.all(Array.from({ length: 10 }, () => rig.campaigns.createRehearsal(rig.us, input)))
  expect(new Set(duplicates.map(({ rehearsal }) => rehearsal!.id)).size).toBe(1)
  expect(await rig.messagesTo(input.recipientEmail)).toHaveLength(1)
  await expect(rig.rehearse({ ...input, recipientEmail: 'o@example.org' })).rejects.toMatchObject({ code: 'conflict' })
})

test('needs its own confirmation, and the conditions of a test send', async () => {
  await expect(rig.rehearse({ confirmation: 'SEND TEST EMAIL' })).rejects.toMatchObject({ reason: 'confirmation' })
  await expect(rig.rehearse({ recipientEmail: 'x@elsewhere.test' })).rejects.toMatchObject({
    reason: 'recipient_not_allowed',
  })
  await rig.setGate(false, testGate)
  await expect(rig.rehearse()).rejects.toMatchObject({ reason: 'test_sends_switch' })
  await rig.setGate(true, testGate)
})

describe('for other workspaces', () => {
  test('a rehearsal is not found, and unknown ids are not found', async () => {
    const { id } = await rig.rehearse()
    const them = rig.stage.caller({ workspaceId: newId() })
    for (const [caller, rehearsalId] of [
      [them, id],
      [rig.us, newId()],
      [rig.us, 'x'],
    ] as const)
      await expect(rig.campaigns.getRehearsal(caller, { rehearsalId })).rejects.toMatchObject({ code: 'not_found' })
    expect((await rig.campaigns.listTestSends(them, {})).testSends).toEqual([])
    expect((await rig.campaigns.listRehearsals(them, {})).rehearsals).toEqual([])
  })

  test('an event that another workspace received about a message changes nothing', async () => {
    const made = await rig.rehearse({ recipientEmail: `q-${newId()}+silent@example.org` })
    const them = rig.stage.caller({ workspaceId: newId() })
    const { providerConnection } = await rig.sending.createProviderConnection(them, {
      name: 'theirs',
      credentialEnvKey: 'MAILPROVIDER_API_KEY',
      webhookSigningEnvKey: 'MAILPROVIDER_WEBHOOK_SIGNING_KEY',
    })
    const variables = { message_id: made.testSendRequestId, test_send_id: made.testSendRequestId }
    await rig.sim('POST', '/events', {
      connection_webhook_url: `${rig.baseUrl}/webhooks/mailprovider/${providerConnection!.id}`,
      event: 'delivered',
      user_variables: variables,
    })
    await event({ event: 'opened', user_variables: variables })
    const now = await untilIt(made.id, ({ eventCounts }) => eventCounts['opened'] === 1)
    expect(now.eventCounts['delivered']).toBe(0)
  })
})

test('the console lists both newest first, page by page', async () => {
  const ids = []
  for (let n = 0; n < 3; n += 1) ids.unshift((await rig.rehearse()).id)
  const first = await rig.campaigns.listRehearsals(rig.us, { limit: 2 })
  const second = await rig.campaigns.listRehearsals(rig.us, { limit: 1, cursor: first.nextCursor! })
  expect([...first.rehearsals, ...second.rehearsals].map(({ id }) => id)).toEqual(ids)
  expect(first.rehearsals[0]).toMatchObject({ senderIdentityId: rig.senderId, contentVersionId: rig.contentVersionId })
  const sends = await rig.campaigns.listTestSends(rig.us, { limit: 1 })
  expect(sends.testSends[0]).toMatchObject({ id: first.rehearsals[0]!.testSendRequestId, purpose: 'rehearsal' })
  for (const bad of [{ limit: 0 }, { limit: 201 }])
    await expect(rig.campaigns.listTestSends(rig.us, bad)).rejects.toMatchObject({ reason: 'limit' })
  for (const cursor of ['x', sends.nextCursor!])
    await expect(rig.campaigns.listRehearsals(rig.us, { cursor })).rejects.toMatchObject({ reason: 'cursor' })
})
