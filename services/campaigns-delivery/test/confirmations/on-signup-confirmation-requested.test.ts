import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { SignupConfirmationRequestedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { workerProcesses } from '../worker-process.ts'
import { openConfirmations, type ConfirmationStage } from './confirmation-stage.ts'

let rig: ConfirmationStage
const { start: workerProcess, killAll } = workerProcesses(() => rig)
beforeAll(async () => {
  rig = await openConfirmations()
})
afterEach(async () => {
  await killAll()
  await rig.fault('none')
  await rig.endCooldown()
  await rig.setGate(true)
})
afterAll(() => rig.close())

const isHandedOver = ({ handOffs }: { handOffs: { state: string }[] }) => handOffs.at(-1)?.state === 'accepted'

test('one sign-up makes one email with its own links, which is a message of the engine like any other', async () => {
  const { address, contactId } = await rig.signUp()
  const { id } = await rig.emailIs(contactId, 'accepted', isHandedOver)
  const [message, ...more] = await rig.messagesTo(address)
  expect(more).toEqual([])
  expect(message).toMatchObject({ subject: 'Please confirm, Ada', variables: { message_id: id } })
  expect(message!.html).toMatch(/href="[^"]+\/confirmations\/k1\.[\w-]+\.[\w-]+"/)
  expect(message!.html).toMatch(/href="[^"]+\/preferences\/k1\.[\w-]+\.[\w-]+"/)
  expect(message!.text).toContain('/confirmations/k1.')
  await expect(rig.campaigns.requireContactUnmailed(rig.us, { contactId })).rejects.toThrow(`Confirmation email ${id}`)
})

test('the same confirmation requested twice makes no second email', async () => {
  const { address, contactId } = await rig.signUp()
  const { id } = await rig.emailIs(contactId, 'accepted', isHandedOver)
  const more = {
    confirmationId: id,
    contactId,
    audienceId: rig.audienceId,
    senderIdentityId: rig.senderId,
    contentVersionId: rig.contentVersionId,
    expiresAt: timestampFromDate(new Date(Date.now() + 60_000)),
  }
  const { workspaceId } = rig
  await rig.stage.publish('contacts-consent', SignupConfirmationRequestedSchema, more, { workspaceId })
  const other = await rig.signUp()
  await rig.emailIs(other.contactId, 'accepted', isHandedOver)
  expect(await rig.messagesTo(address)).toHaveLength(1)
})

test('two workers send each email once', async () => {
  const second = await rig.worker()
  await rig.setGate(false)
  const people = await Promise.all(Array.from({ length: 8 }, () => rig.signUp()))
  await Promise.all(people.map(({ contactId }) => rig.emailIs(contactId, 'stored', ({ is_waiting }) => is_waiting)))
  await rig.setGate(true)
  for (const { contactId, address } of people) {
    await rig.emailIs(contactId, 'accepted', isHandedOver)
    expect(await rig.messagesTo(address)).toHaveLength(1)
  }
  await second.stop()
})

describe('an email that cannot be sent now', () => {
  test.each([
    ['the production gate is closed', () => rig.setGate(false), () => rig.setGate(true)],
    [
      'the sending of the workspace is off',
      () => rig.setWorkspace({ sending: false }),
      () => rig.setWorkspace({ sending: true }),
    ],
    [
      'the sender is disabled',
      () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = false'),
      () => rig.changeSending('sender_identities', rig.senderId, 'is_enabled = true'),
    ],
  ])('waits while %s, and is sent once after that', async (_what, close, open) => {
    await close()
    // Answers about a sender are up to 3 s old; a change that nobody announced is seen after that.
    await until(async () => {
      const probe = await rig.signUp()
      const email = await until(() => rig.emailOf(probe.contactId))
      return until(async () => {
        const now = (await rig.emailOf(probe.contactId)) ?? email
        return now.is_held ? 'held' : now.handOffs.length > 0 ? 'sent' : false
      }).then((state) => state === 'held')
    })
    const { address, contactId } = await rig.signUp()
    await until(async () => (await rig.emailOf(contactId))?.is_held === true, { what: 'the email to be held' })
    expect(await rig.messagesTo(address)).toEqual([])
    await open()
    await rig.emailIs(contactId, 'accepted', isHandedOver)
    expect(await rig.messagesTo(address)).toHaveLength(1)
  })

  test('after a refused rate waits for the end of the cooldown, and is sent once', async () => {
    await rig.fault('rate_limit')
    const { address, contactId } = await rig.signUp()
    await until(async () => (await rig.emailOf(contactId))?.handOffs[0]?.state === 'put_back', {
      what: 'the refused call',
    })
    await rig.fault('none')
    await rig.endCooldown()
    await rig.emailIs(contactId, 'accepted', isHandedOver)
    expect(await rig.messagesTo(address)).toHaveLength(1)
  })
})

describe('an email that may have been sent', () => {
  test.each(['reset_after_accept', 'accept_then_error'])(
    '%s: events settle it, and it is not repeated',
    async (mode) => {
      await rig.fault(mode)
      const { address, contactId } = await rig.signUp('open')
      await until(async () => ((await rig.emailOf(contactId))?.handOffs.length ?? 0) > 0, { what: 'the call' })
      await rig.fault('none')
      await rig.endCooldown()
      await rig.emailIs(contactId, 'accepted', isHandedOver)
      expect((await rig.emailOf(contactId))!.handOffs).toHaveLength(1)
      expect(await rig.messagesTo(address)).toHaveLength(1)
    },
  )

  test('by a worker that was killed after the intent stays unknown, and is not repeated', async () => {
    await rig.setGate(false)
    const { address, contactId } = await rig.signUp()
    await rig.emailIs(contactId, 'stored', ({ is_waiting }) => is_waiting)
    const [{ id }] = (await rig.stage.query<{ id: string }>(
      `insert into campaigns.hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, connection_id, domain_name, region, credential_env_key, state, judged_at, claimed_at)
       select workspace_id, gen_random_uuid(), 'confirmation', id, 0, array[id], $2, 'mail.acme.test', 'us', 'MAILPROVIDER_API_KEY', 'claimed', now() - interval '5 minutes', now() - interval '5 minutes'
         from campaigns.confirmation_emails where contact_id = $1 returning id`,
      [contactId, rig.connectionId],
    )) as [{ id: string }]
    await rig.stage.query('update campaigns.confirmation_emails set is_waiting = false where contact_id = $1', [
      contactId,
    ])
    await rig.setGate(true)
    await until(
      async () =>
        (await rig.stage.query(`select from campaigns.hand_offs where id = $1 and state = 'unknown'`, [id])).length ===
        1,
      { what: 'the lost claim to be unknown' },
    )
    expect(await rig.messagesTo(address)).toEqual([])
  })
})

describe('an email that is not sent', () => {
  test('because the person withdrew before the call, is skipped', async () => {
    await rig.setGate(false)
    const { address, contactId } = await rig.signUp()
    await rig.emailIs(contactId, 'stored', ({ is_waiting }) => is_waiting)
    await rig.contacts.unsubscribeContact(rig.us, { contactId, audienceId: rig.audienceId })
    await rig.setGate(true)
    const email = await rig.emailIs(contactId, 'ended', ({ ends }) => ends.length > 0)
    expect(email).toMatchObject({ ends: [{ fact: 'skipped', reasons: ['confirmation_ended'] }], handOffs: [] })
    expect(await rig.messagesTo(address)).toEqual([])
  })

  test('because the contact is suppressed, is skipped with the reason', async () => {
    await rig.setGate(false)
    const { address, contactId } = await rig.signUp()
    await rig.emailIs(contactId, 'stored', ({ is_waiting }) => is_waiting)
    await rig.contacts.suppressContact(rig.us, { contactId, scope: 'workspace', reason: 'manual' })
    await rig.setGate(true)
    const email = await rig.emailIs(contactId, 'ended', ({ ends }) => ends.length > 0)
    expect(email.ends).toEqual([{ fact: 'skipped', reasons: ['suppressed_workspace'] }])
    expect(await rig.messagesTo(address)).toEqual([])
  })

  test('because the person was erased, is skipped, and the erasure names a message that was sent before', async () => {
    await rig.setGate(false)
    const { address, contactId } = await rig.signUp()
    await rig.emailIs(contactId, 'stored', ({ is_waiting }) => is_waiting)
    await rig.erased(contactId)
    await rig.setGate(true)
    const email = await rig.emailIs(contactId, 'ended', ({ ends }) => ends.length > 0)
    expect(email.handOffs).toEqual([])
    expect(await rig.messagesTo(address)).toEqual([])
  })

  test('because it expired while a gate was closed, is skipped', async () => {
    await rig.setGate(false)
    const confirmationId = newId()
    const contactId = newId()
    await rig.stage.publish(
      'contacts-consent',
      SignupConfirmationRequestedSchema,
      {
        confirmationId,
        contactId,
        audienceId: rig.audienceId,
        senderIdentityId: rig.senderId,
        contentVersionId: rig.contentVersionId,
        expiresAt: timestampFromDate(new Date(Date.now() - 1_000)),
      },
      { workspaceId: rig.workspaceId },
    )
    const email = await rig.emailIs(contactId, 'ended', ({ ends }) => ends.length > 0)
    expect(email.ends).toEqual([{ fact: 'skipped', reasons: ['confirmation_ended'] }])
  })

  test('because its sender was deleted, has failed', async () => {
    const contactId = newId()
    await rig.stage.publish(
      'contacts-consent',
      SignupConfirmationRequestedSchema,
      {
        confirmationId: newId(),
        contactId,
        audienceId: rig.audienceId,
        senderIdentityId: newId(),
        contentVersionId: rig.contentVersionId,
        expiresAt: timestampFromDate(new Date(Date.now() + 60_000)),
      },
      { workspaceId: rig.workspaceId },
    )
    const email = await rig.emailIs(contactId, 'ended', ({ ends }) => ends.length > 0)
    expect(email.ends).toEqual([{ fact: 'failed', reasons: ['sender_missing'] }])
  })
})

test('a worker that is killed before it takes an email leaves it to the next one', async () => {
  const { contactId } = await rig.signUp()
  await rig.emailIs(contactId, 'accepted', isHandedOver)
  const dying = await workerProcess()
  await dying.killed()
  const next = await rig.signUp()
  await rig.emailIs(next.contactId, 'accepted', isHandedOver)
})

test('the rows of emails cannot be changed or deleted', async () => {
  const { contactId } = await rig.signUp()
  await rig.emailIs(contactId, 'accepted', isHandedOver)
  for (const statement of [
    'update campaigns.confirmation_emails set contact_id = gen_random_uuid() where contact_id = $1',
    'delete from campaigns.confirmation_emails where contact_id = $1',
  ])
    await expect(rig.stage.query(statement, [contactId])).rejects.toThrow(/never changed/)
})
