import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { patiently } from '@lettergate/stage/patiently'
import { openTesting, testGate, type TestingStage } from './testing-stage.ts'

let rig: TestingStage
beforeAll(async () => {
  rig = await openTesting()
  await rig.worker()
})
afterAll(() => rig.close())

const nobody = '00000000-0000-7000-8000-000000000000'
const refusal = (more: Parameters<TestingStage['send']>[0] = {}) => rig.send(more).catch((error: unknown) => error)
const state = async (id: string) => (await rig.listed(id)).state

describe('a test send', () => {
  test('reaches the given recipient as a campaign would, marked as a test, and events make it delivered', async () => {
    const sent = await rig.send({ recipientEmail: 'Anna@example.org' })
    expect(sent).toMatchObject({
      state: 'accepted',
      senderIdentityId: rig.senderId,
      contentVersionId: rig.contentVersionId,
      recipientEmail: 'Anna@example.org',
      attemptCount: 1,
    })
    expect(sent.providerMessageId).toBeTruthy()
    const [message, ...more] = await rig.messagesTo('Anna@example.org')
    expect(more).toEqual([])
    expect(message).toMatchObject({ subject: 'News for friend' })
    expect(message!.html).toContain('Hello friend,')
    expect(message!.headers).toMatchObject({
      'Reply-To': 'hello@acme.test',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(message!.headers['List-Unsubscribe']).toMatch(/^<http:\/\/.+\/preferences\/one-click\/.+>$/)
    expect(message!.variables).toMatchObject({ message_id: sent.id, test_send_id: sent.id })
    await until(async () => (await state(sent.id)) === 'delivered')
    expect(await rig.listed(sent.id)).toMatchObject({
      purpose: 'test_send',
      handOffState: 'accepted',
      eventCounts: { accepted: 1, delivered: 1, failed: 0, opened: 0 },
    })
    expect(
      await rig.stage.query(
        'select 1 from campaigns.event_counts c join campaigns.campaign_runs r on r.id = c.origin_id',
      ),
    ).toEqual([])
  })

  test('to a contact uses the contact’s fields, and its link unsubscribes from the workspace', async () => {
    const email = `ada-${randomUUID()}@example.org`
    const { contact } = await rig.contacts.upsertContact(rig.us, {
      email,
      source: 'test',
      firstName: 'Ada',
      updateMask: { paths: ['first_name'] },
    })
    await rig.send({ recipientEmail: email })
    const [message] = await rig.messagesTo(email)
    expect(message!.subject).toBe('News for Ada')
    const token = message!.headers['List-Unsubscribe']!.slice(1, -1).split('/').at(-1)!
    await rig.contacts.usePreferenceLink(rig.us, { token, via: 'one_click' })
    expect(await refusal({ recipientEmail: email })).toMatchObject({ reason: 'recipient_suppressed' })
    const refused = rig.campaigns.requireContactUnmailed(rig.us, { contactId: contact!.id })
    await expect(refused).rejects.toMatchObject({ reason: 'contact_has_messages' })
  })

  test('that bounces permanently has failed, and the contact is suppressed', async () => {
    const email = `b-${randomUUID()}+hardbounce@example.org`
    await rig.contacts.upsertContact(rig.us, { email, source: 'test' })
    const sent = await rig.send({ recipientEmail: email })
    await until(async () => (await state(sent.id)) === 'failed')
    const again = await until(async () => {
      const refused = await refusal({ recipientEmail: email })
      return (refused as { reason?: string }).reason === 'recipient_suppressed' ? refused : undefined
    })
    expect(again).toMatchObject({ code: 'failed_precondition' })
  })

  test.each(['softthenok', 'open', 'complain'])('to +%s is delivered', async (behaviour) => {
    const sent = await rig.send({ recipientEmail: `${randomUUID()}+${behaviour}@example.org` })
    await until(async () => (await state(sent.id)) === 'delivered')
  })
})

describe('each condition fails separately, and nothing reaches the provider', () => {
  const refused = async (more: Parameters<TestingStage['send']>[0], reason: string, code = 'failed_precondition') => {
    const [calls, rows] = [await rig.calls(), await rig.stage.query('select 1 from campaigns.test_sends')]
    const fault = await refusal(more)
    expect(fault).toMatchObject({ code, reason })
    expect(await rig.calls()).toBe(calls)
    expect(await rig.stage.query('select 1 from campaigns.test_sends')).toHaveLength(rows.length)
  }
  /** The change is undone in any case. */
  const during = async (change: () => Promise<unknown>, work: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    await change()
    try {
      await work()
    } finally {
      await undo()
    }
  }
  const changed = (table: string, id: string, change: string, undo: string, reason: string) =>
    during(
      () => rig.changeSending(table, id, change),
      () => refused({}, reason),
      () => rig.changeSending(table, id, undo),
    )

  test.each(['', 'send test email', 'SEND TEST EMAIL.', 'RUN CONTROLLED REHEARSAL'])(
    'confirmation %j',
    (confirmation) => refused({ confirmation }, 'confirmation', 'invalid_argument'),
  )
  test.each(['', 'k'.repeat(11), 'k'.repeat(201)])('Idempotency-Key %j', (idempotencyKey) =>
    refused({ idempotencyKey }, 'Idempotency-Key', 'invalid_argument'),
  )
  test.each(['bob@allowed.test', 'ada@allowed.test.evil.test', 'x@sub.example.org'])('recipient %s', (recipientEmail) =>
    refused({ recipientEmail }, 'recipient_not_allowed'),
  )
  test('an invalid recipient address', () =>
    refused({ recipientEmail: 'nobody' }, 'recipient_email', 'invalid_argument'))
  test('the gate', () =>
    during(
      () => rig.setGate(false, testGate),
      () => refused({}, 'test_sends_switch'),
      () => rig.setGate(true, testGate),
    ))
  test('an archived workspace', () =>
    during(
      () => rig.setWorkspace({ isArchived: true }),
      () => refused({}, 'workspace_archived'),
      () => rig.setWorkspace({}),
    ))
  test.each([
    ["verification_state = 'failed'", "verification_state = 'verified'"],
    ["dkim_state = 'failed'", "dkim_state = 'verified'"],
    ["checked_at = now() - interval '25 hours'", 'checked_at = now()'],
  ])('a domain with %s', (change, undo) =>
    changed('sending_domains', rig.domainId, change, undo, 'domain_not_verified'),
  )
  test.each([
    ['is_active = false', 'is_active = true'],
    ["connection_state = 'failed', is_active = false", "connection_state = 'verified', is_active = true"],
    ["credential_env_key = 'MAILPROVIDER_MISSING_KEY'", "credential_env_key = 'MAILPROVIDER_API_KEY'"],
  ])('a connection with %s', (change, undo) =>
    changed('provider_connections', rig.connectionId, change, undo, 'connection_not_verified'),
  )
  test.each(['senderIdentityId', 'contentVersionId'])('an unknown, foreign or malformed %s', async (field) => {
    const name = field === 'senderIdentityId' ? 'sender_identity_id' : 'content_version_id'
    for (const id of [nobody, 'x']) await refused({ [field]: id }, name, 'invalid_argument')
    const them = rig.stage.caller({ workspaceId: newId() })
    await expect(rig.campaigns.createTestSend(them, rig.input())).rejects.toBeDefined()
  })
  test.each(['workspace', 'platform'])('a recipient suppressed in the %s', async (scope) => {
    const email = `s-${randomUUID()}@example.org`
    const { contact } = await rig.contacts.upsertContact(rig.us, { email, source: 'test' })
    const by = scope === 'platform' ? { ...rig.us, caller: { ...rig.us.caller, platformRole: 'owner' } } : rig.us
    await rig.contacts.suppressContact(by, { contactId: contact!.id, scope, reason: 'manual' })
    await refused({ recipientEmail: email.toUpperCase() }, 'recipient_suppressed')
  })
  test('a disabled sender and an unapproved quota are accepted', async () => {
    await rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false')
    await rig.changeSending('sending_domains', rig.domainId, "quota_state = 'not_checked'")
    expect(await rig.send()).toMatchObject({ state: 'accepted' })
    await rig.changeSending('sending_domains', rig.domainId, "quota_state = 'approved'")
  })
  test('no recipient is allowed while the allowlist is empty', async () => {
    const closed = await rig.api({ TEST_RECIPIENT_ALLOWLIST: '' })
    await expect(rig.send({}, closed)).rejects.toMatchObject({ reason: 'recipient_not_allowed' })
    expect(await rig.send({ recipientEmail: ' ada@ALLOWED.test ' })).toMatchObject({
      recipientEmail: 'ada@allowed.test',
    })
  })
})

describe('a key', () => {
  test('sends once, however often and concurrently it is used, also after the gate has closed', async () => {
    const input = rig.input()
    const duplicates = await Promise.all(Array.from({ length: 20 }, () => patiently(() => rig.send(input))))
    expect(new Set(duplicates.map(({ id }) => id)).size).toBe(1)
    expect(new Set(duplicates.map(({ state }) => state)).has('queued')).toBe(false)
    await rig.setGate(false, testGate)
    expect((await rig.send(input)).id).toBe(duplicates[0]!.id)
    await rig.setGate(true, testGate)
    expect(await rig.messagesTo(input.recipientEmail)).toHaveLength(1)
  })

  test('used for another request is a conflict, and belongs to one operation and one workspace', async () => {
    const input = rig.input()
    const { id } = await rig.send(input)
    await expect(rig.send({ ...input, recipientEmail: 'other@example.org' })).rejects.toMatchObject({
      code: 'conflict',
    })
    const rehearsal = await rig.rehearse({ ...input, confirmation: 'RUN CONTROLLED REHEARSAL' })
    expect(rehearsal.testSendRequestId).not.toBe(id)
    expect(await rig.messagesTo(input.recipientEmail)).toHaveLength(2)
  })

  test('of a refused request is free again', async () => {
    const input = rig.input()
    await expect(rig.send({ ...input, recipientEmail: 'x@elsewhere.test' })).rejects.toMatchObject({
      reason: 'recipient_not_allowed',
    })
    expect(await rig.send(input)).toMatchObject({ state: 'accepted' })
  })
})
