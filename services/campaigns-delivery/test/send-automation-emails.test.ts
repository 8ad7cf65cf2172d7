import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { openAutomationEmails, type AutomationStage } from './automation-stage.ts'

let rig: AutomationStage
const emptyId = newId()
beforeAll(async () => {
  rig = await openAutomationEmails()
})
afterEach(async () => {
  await rig.fault('none')
  await rig.endCooldown()
})
afterAll(() => rig.close())

test('an email is accepted once; a repeat of its step id answers the same and makes no call', async () => {
  const { address, email } = await rig.person('Ada')
  const before = await rig.calls()
  const [first] = await rig.send([email])
  expect(first).toMatchObject({ stepId: email.stepId, outcome: 'accepted', reasons: [], messageId: email.stepId })
  expect(first!.retryAt).toBeUndefined()
  expect(await rig.send([email])).toEqual([first])
  expect((await rig.calls()) - before).toBe(1)
  const [message] = await rig.messagesTo(address)
  expect(message).toMatchObject({ subject: 'News for Ada', variables: { message_id: email.stepId } })
})

test('emails with the same automation, content and sender share one call, and the answer keeps their order', async () => {
  const people = await Promise.all(['Bo', 'Cy', 'Di'].map((name) => rig.person(name)))
  const before = await rig.calls()
  const results = await rig.send(people.map(({ email }) => email))
  expect(results.map(({ stepId, outcome }) => [stepId, outcome])).toEqual(
    people.map(({ email }) => [email.stepId, 'accepted']),
  )
  expect((await rig.calls()) - before).toBe(1)
  expect(await rig.handOffs(people[0]!.email.stepId)).toEqual([{ state: 'accepted', people: 3, reason: null }])
})

test('two emails to one contact, and emails of two automations, are sent by calls of their own', async () => {
  const { address, contactId, email } = await rig.person('Eve')
  const other = rig.email(contactId, { automationId: newId() })
  const before = await rig.calls()
  const results = await rig.send([email, rig.email(contactId), other])
  expect(results.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted'])
  expect((await rig.calls()) - before).toBe(3)
  expect(await rig.messagesTo(address)).toHaveLength(3)
})

test('the message is sent under the first audience for which the contact is eligible, with its unsubscribe link', async () => {
  const { address, contactId } = await rig.person('Fay')
  const [left, second, third] = [await rig.audience(), await rig.audience(), await rig.audience()]
  for (const audienceId of [second, third])
    await rig.contacts.subscribeContact(rig.us, { contactId, audienceId, source: 'form', wordingVersion: 'v1' })
  const email = rig.email(contactId, { audienceIds: [left, second, third] })
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
  const [message] = await rig.messagesTo(address)
  expect(message!.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  const token = message!.headers['List-Unsubscribe']!.slice(1, -1).split('/').at(-1)!
  await rig.contacts.usePreferenceLink(rig.us, { token, via: 'one_click' })
  const again = rig.email(contactId, { audienceIds: [second] })
  expect(await rig.send([again])).toMatchObject([{ outcome: 'skipped' }])
  expect(await rig.send([{ ...again, stepId: newId(), audienceIds: [third] }])).toMatchObject([{ outcome: 'accepted' }])
})

test('a request of 200 emails makes as few calls as the batch size allows', async () => {
  const audienceId = await rig.audience()
  await rig.members(audienceId, 200)
  const members = await rig.stage.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  const emails = members.map(({ contact_id }) => rig.email(contact_id, { audienceIds: [audienceId] }))
  const before = await rig.calls()
  const results = await rig.send(emails)
  expect(results.filter(({ outcome }) => outcome !== 'accepted')).toEqual([])
  expect((await rig.calls()) - before).toBe(2)
})

test('messages that were refused together are handed over one by one in one request', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, (_, n) => rig.person(`N${n}`)))
  const emails = people.map(({ email }) => email)
  const address = (contactId: string, value: string) =>
    rig.stage.query('update contacts.contacts set email = $2 where id = $1', [contactId, value])
  await address(people[11]!.contactId, 'not an address')
  for (const { outcome } of await rig.send(emails)) expect(outcome).toBe('waiting')
  const results = await rig.send(emails)
  expect(results.map(({ outcome }) => outcome)).toEqual([...emails.slice(1).map(() => 'accepted'), 'failed'])
  for (const one of people.slice(0, 11)) expect(await rig.messagesTo(one.address)).toHaveLength(1)
})

test('after an uncertain answer of the connection, each call has one message for a while', async () => {
  const people = await Promise.all(['Vic', 'Wim', 'Xia'].map((name) => rig.person(name)))
  const emails = people.map(({ email }) => email)
  await rig.stage.query(
    `insert into campaigns.connection_holds (workspace_id, connection_id, until, failures, singles_until, reason)
     values ($1, $2, now() - interval '1 second', 1, now() + interval '1 hour', 'ambiguous')`,
    [rig.workspaceId, rig.connectionId],
  )
  const results = await rig.send(emails)
  expect(results.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted'])
  for (const { stepId } of emails)
    expect(await rig.handOffs(stepId)).toEqual([{ state: 'accepted', people: 1, reason: null }])
})

describe('skipped', () => {
  test('a contact who did not subscribe, with every reason; a repeat answers the same after the contact subscribed', async () => {
    const address = `gil.${newId()}@example.org`
    const { contact } = await rig.contacts.upsertContact(rig.us, { email: address, source: 'test' })
    const email = rig.email(contact!.id)
    const [first] = await rig.send([email])
    expect(first).toMatchObject({ outcome: 'skipped', reasons: ['consent_missing', 'not_subscribed'] })
    const { audienceId } = rig
    await rig.contacts.subscribeContact(rig.us, {
      contactId: contact!.id,
      audienceId,
      source: 'form',
      wordingVersion: 'v1',
    })
    expect(await rig.send([email])).toEqual([first])
    expect(await rig.messagesTo(address)).toEqual([])
  })

  test('without a candidate', async () => {
    const { email } = await rig.person('Hal')
    const [result] = await rig.send([{ ...email, audienceIds: [] }])
    expect(result).toMatchObject({ outcome: 'skipped', reasons: ['no_audience'] })
  })

  test('a contact who does not exist', async () => {
    expect(await rig.send([rig.email(newId())])).toMatchObject([
      { outcome: 'skipped', reasons: ['contact_missing', 'consent_missing', 'not_subscribed'] },
    ])
  })

  test('a contact who got a message of the audience within its minimum interval', async () => {
    const audienceId = await rig.audience(3_600)
    const { address, contactId, email } = await rig.person('Ida', { audienceIds: [audienceId] })
    expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
    const second = rig.email(contactId, { audienceIds: [audienceId] })
    expect(await rig.send([second])).toMatchObject([{ outcome: 'skipped', reasons: ['minimum_interval_not_elapsed'] }])
    expect(await rig.messagesTo(address)).toHaveLength(1)
  })

  test('of two emails to one contact in one call, the minimum interval lets one through', async () => {
    const audienceId = await rig.audience(3_600)
    const { address, contactId, email } = await rig.person('Jan', { audienceIds: [audienceId] })
    const results = await rig.send([email, rig.email(contactId, { audienceIds: [audienceId] })])
    expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['accepted', 'skipped'])
    expect(await rig.messagesTo(address)).toHaveLength(1)
  })

  test('a contact who was erased between verdict and intent', async () => {
    const { address, contactId, email } = await rig.person('Kay')
    await rig.stage.query('insert into campaigns.erased_contacts (workspace_id, contact_id) values ($1, $2)', [
      rig.workspaceId,
      contactId,
    ])
    expect(await rig.send([email])).toMatchObject([{ outcome: 'skipped', reasons: ['contact_missing'] }])
    expect(await rig.messagesTo(address)).toEqual([])
  })
})

describe('failed', () => {
  test('content of another workspace, or none, and nothing is stored', async () => {
    const { email } = await rig.person('Lea', { contentVersionId: newId() })
    expect(await rig.send([email])).toMatchObject([{ outcome: 'failed', reasons: ['content_missing'] }])
    expect(await rig.stage.query('select 1 from campaigns.automation_emails where id = $1', [email.stepId])).toEqual([])
  })

  test('content of which nothing was left; a repeat answers the same', async () => {
    await rig.stage.query(
      `insert into campaigns.content_versions (workspace_id, id, template_id, version, subject, sanitized_html, plain_text, personalization_defaults, validation, created_by)
       select workspace_id, $2, template_id, 1000, subject, '', '', '{}', '{"valid": false, "unsubscribePresent": false, "tokens": []}', created_by
         from campaigns.content_versions where id = $1`,
      [rig.contentVersionId, emptyId],
    )
    const { email } = await rig.person('Luz', { contentVersionId: emptyId })
    const [first] = await rig.send([email])
    expect(first).toMatchObject({ outcome: 'failed', reasons: ['content_empty'] })
    expect(await rig.send([email])).toEqual([first])
  })

  test('a sender that does not exist; a repeat answers the same', async () => {
    const { email } = await rig.person('Mia', { senderIdentityId: newId() })
    const [first] = await rig.send([email])
    expect(first).toMatchObject({ outcome: 'failed', reasons: ['sender_missing'] })
    expect(await rig.send([email])).toEqual([first])
  })

  test('one address that the provider refuses does not stop the emails to others', async () => {
    const good = await rig.person('Nia')
    const bad = await rig.person('Ole')
    // contacts-consent does not accept such an address; this one stands for any that only the provider refuses.
    await rig.stage.query(
      `update contacts.contacts set email = 'not an address', normalized_email = $2 where id = $1`,
      [bad.contactId, `not an address ${newId()}`],
    )
    const emails = [good.email, bad.email]
    expect(await rig.send(emails)).toMatchObject([
      { outcome: 'waiting', reasons: ['put_back'] },
      { outcome: 'waiting', reasons: ['put_back'] },
    ])
    expect(await rig.send(emails)).toMatchObject([
      { outcome: 'accepted', reasons: [] },
      { outcome: 'failed', reasons: ['status_400'] },
    ])
    expect(await rig.handOffs(bad.email.stepId)).toEqual([
      { state: 'put_back', people: 2, reason: 'status_400' },
      { state: 'failed', people: 1, reason: 'status_400' },
    ])
    expect(await rig.messagesTo(good.address)).toHaveLength(1)
    const [failed] = await rig.send([bad.email])
    expect(failed).toMatchObject({ outcome: 'failed', messageId: bad.email.stepId })
  })
})

describe('the request', () => {
  test.each([
    ['step_id', { stepId: 'x' }],
    ['contact_id', { contactId: '' }],
    ['audience_ids', { audienceIds: ['x'] }],
    ['audience_ids', { audienceIds: Array.from({ length: 11 }, newId) }],
    ['content_version_id', { contentVersionId: 'x' }],
    ['sender_identity_id', { senderIdentityId: 'x' }],
  ])('a bad %s is named', async (field, more) => {
    await expect(rig.send([rig.email(newId(), more)])).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: field,
    })
  })

  test('more than 200 emails are refused', async () => {
    const emails = Array.from({ length: 201 }, () => rig.email(newId()))
    await expect(rig.emails.sendAutomationEmails(rig.us, { emails })).rejects.toMatchObject({
      code: 'invalid_argument',
      reason: 'emails',
    })
  })

  test('a step id with another contact is refused', async () => {
    const { email } = await rig.person('Uma')
    await rig.send([email])
    await expect(rig.send([{ ...email, contactId: newId() }])).rejects.toMatchObject({
      code: 'conflict',
      reason: 'step_differs',
    })
  })
})
