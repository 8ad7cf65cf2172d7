import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { ProviderEventReceivedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { openAutomationEmails, type AutomationStage } from './automation-stage.ts'

let rig: AutomationStage
beforeAll(async () => {
  rig = await openAutomationEmails()
})
afterAll(() => rig.close())

/** A contact whose address makes the provider behave like this, and an email to them. */
async function person(behaviour: string, audienceId = rig.audienceId) {
  const address = `${newId()}+${behaviour}@example.org`
  const contactId = await rig.subscriber(audienceId, address)
  return { address, contactId, email: rig.email(contactId, { audienceIds: [audienceId] }) }
}
const facts = async (stepId: string) => {
  const found = await rig.stage.query<{ fact: string; origin_id: string }>(
    'select fact, origin_id from campaigns.message_facts where message_id = $1 order by fact',
    [stepId],
  )
  expect(found.filter(({ origin_id }) => origin_id !== rig.automationId)).toEqual([])
  return found.map(({ fact }) => fact)
}
const hasFact = (stepId: string, fact: string) =>
  until(async () => (await facts(stepId)).includes(fact), { what: `the fact ${fact}` })
const evidence = (contactId: string, reason: string) =>
  until(
    async () => {
      const [found] = await rig.stage.query<{ evidence: Record<string, string>; scope: string }>(
        'select evidence, scope from contacts.suppressions where contact_id = $1 and reason = $2',
        [contactId, reason],
      )
      return found
    },
    { what: `the suppression ${reason}` },
  )
const countsOf = async (automationId: string) =>
  Object.fromEntries(
    (
      await rig.stage.query<{ kind: string; count: number }>(
        'select kind, sum(count)::int as count from campaigns.event_counts where origin_id = $1 group by 1',
        [automationId],
      )
    ).map(({ kind, count }) => [kind, count]),
  )

test('a delivery is a fact of the message, and is counted for its automation', async () => {
  const before = await countsOf(rig.automationId)
  const { email } = await person('plain')
  await rig.send([email])
  await hasFact(email.stepId, 'delivered')
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
  const after = await countsOf(rig.automationId)
  expect(after['delivered']! - (before['delivered'] ?? 0)).toBe(1)
})

test('a hard bounce suppresses the contact in the workspace, with the automation as evidence', async () => {
  const { email, contactId } = await person('hardbounce')
  await rig.send([email])
  expect(await evidence(contactId, 'hard_bounce')).toMatchObject({
    scope: 'workspace',
    evidence: { automation_id: rig.automationId, message_id: email.stepId },
  })
  expect(await rig.send([rig.email(contactId)])).toMatchObject([
    { outcome: 'skipped', reasons: ['suppressed_workspace'] },
  ])
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
})

test('a complaint suppresses the contact', async () => {
  const { email, contactId } = await person('complain')
  await rig.send([email])
  const { evidence: found } = await evidence(contactId, 'complaint')
  expect(found).toMatchObject({ automation_id: rig.automationId })
  expect(found['run_id']).toBeUndefined()
})

test('an unsubscribe that the provider reports withdraws the contact from the audience of the message only', async () => {
  const [first, second] = [await rig.audience(), await rig.audience()]
  const { email, contactId } = await person('plain', second)
  await rig.contacts.subscribeContact(rig.us, { contactId, audienceId: first, source: 'form', wordingVersion: 'v1' })
  await rig.send([{ ...email, audienceIds: [second, first] }])
  await rig.stage.publish(
    'webhook-intake',
    ProviderEventReceivedSchema,
    {
      id: newId(),
      connectionId: rig.connectionId,
      event: 'unsubscribed',
      messageId: email.stepId,
      occurredAt: timestampFromDate(new Date()),
      receivedAt: timestampFromDate(new Date()),
    },
    { workspaceId: rig.workspaceId },
  )
  await hasFact(email.stepId, 'unsubscribed')
  const memberships = () =>
    rig.stage.query<{ audience_id: string; is_active: boolean }>(
      'select audience_id, is_active from contacts.memberships where contact_id = $1 order by is_active',
      [contactId],
    )
  await until(async () => (await memberships())[0]?.is_active === false)
  expect(await memberships()).toEqual([
    { audience_id: second, is_active: false },
    { audience_id: first, is_active: true },
  ])
  expect(await rig.send([rig.email(contactId, { audienceIds: [second, first] })])).toMatchObject([
    { outcome: 'accepted' },
  ])
})

test('an accepted message counts for the minimum interval at contacts-consent', async () => {
  const audienceId = await rig.audience(3_600)
  const { email, contactId } = await person('plain', audienceId)
  await rig.send([email])
  const handedOff = async () =>
    (
      await rig.stage.query<{ at: Date | null }>(
        'select last_handed_off_at as at from contacts.memberships where contact_id = $1',
        [contactId],
      )
    )[0]!.at
  await until(async () => (await handedOff()) !== null, { what: 'the hand-off to be known' })
})

test('an event that arrives for a message of another workspace changes nothing', async () => {
  const { email } = await person('plain')
  await rig.send([email])
  await hasFact(email.stepId, 'delivered')
  const eventId = newId()
  await rig.stage.publish(
    'webhook-intake',
    ProviderEventReceivedSchema,
    {
      id: eventId,
      connectionId: rig.connectionId,
      event: 'complained',
      messageId: email.stepId,
      occurredAt: timestampFromDate(new Date()),
      receivedAt: timestampFromDate(new Date()),
    },
    { workspaceId: newId() },
  )
  // A later event of the own workspace in the same lane shows that the other one was handled.
  await rig.stage.publish(
    'webhook-intake',
    ProviderEventReceivedSchema,
    {
      id: newId(),
      connectionId: rig.connectionId,
      event: 'opened',
      messageId: email.stepId,
      occurredAt: timestampFromDate(new Date()),
      receivedAt: timestampFromDate(new Date()),
    },
    { workspaceId: rig.workspaceId },
  )
  await hasFact(email.stepId, 'opened')
  expect(await facts(email.stepId)).not.toContain('complained')
})

test('the message is the last one of its contact and audience, and keeps the contact from being deleted', async () => {
  const { email, contactId } = await person('plain')
  await rig.campaigns.requireContactUnmailed(rig.us, { contactId })
  expect((await rig.campaigns.listLastMessages(rig.us, { contactId })).lastMessages).toEqual([])
  await rig.send([email])
  const { lastMessages } = await rig.campaigns.listLastMessages(rig.us, { contactId })
  expect(lastMessages).toMatchObject([{ audienceId: rig.audienceId, automationId: rig.automationId }])
  expect(lastMessages[0]).not.toHaveProperty('runId')
  expect(lastMessages[0]!.handedOffAt).toBeDefined()
  await expect(rig.campaigns.requireContactUnmailed(rig.us, { contactId })).rejects.toMatchObject({
    reason: 'contact_has_messages',
    message: expect.stringContaining(`Automation ${rig.automationId}`),
  })
})

test('a skipped message is no last message', async () => {
  const { contact } = await rig.contacts.upsertContact(rig.us, { email: `${newId()}@example.org`, source: 'test' })
  const contactId = contact!.id
  expect(await rig.send([rig.email(contactId)])).toMatchObject([{ outcome: 'skipped' }])
  expect((await rig.campaigns.listLastMessages(rig.us, { contactId })).lastMessages).toEqual([])
})

test('an erasure names the messages that were handed over, and later steps of the contact are skipped', async () => {
  const { email, contactId } = await person('plain')
  await rig.send([email])
  await rig.erased(contactId)
  const named = await rig.stage.query(
    `select 1 from campaigns.outbox where event = 'messages_erased' and position($1::bytea in payload) > 0`,
    [Buffer.from(email.stepId)],
  )
  expect(named).toHaveLength(1)
  const [later] = await rig.send([rig.email(contactId)])
  expect(later).toMatchObject({ outcome: 'skipped', reasons: expect.arrayContaining(['contact_missing']) })
  expect(await rig.send([email])).toMatchObject([{ outcome: 'accepted' }])
})

test('another workspace sees neither the messages nor the content and sender', async () => {
  const { email, contactId } = await person('plain')
  await rig.send([email])
  const workspaceId = newId()
  await rig.stage.query(
    `insert into identity.workspaces (id, organization_id, slug, name, production_sending_enabled)
     select $1, organization_id, 'other', 'Other', true from identity.workspaces where id = $2`,
    [workspaceId, rig.workspaceId],
  )
  const them = rig.stage.caller({ workspaceId, organization: 'acme', workspace: 'other' })
  const { results } = await rig.emails.sendAutomationEmails(them, { emails: [email] }, { timeoutMs: 20_000 })
  expect(results).toMatchObject([{ outcome: 'failed', reasons: ['content_missing'] }])
  expect((await rig.campaigns.listLastMessages(them, { contactId })).lastMessages).toEqual([])
})

test('the worker counts what became of the emails', async () => {
  const count = async (outcome: string) => {
    const text = await (await fetch(`http://127.0.0.1:${rig.workerApp.healthPort}/metrics`)).text()
    const line = new RegExp(`^lettergate_automation_emails_total\\{outcome="${outcome}"[^}]*\\} (\\d+)$`, 'm').exec(
      text,
    )
    return Number(line?.[1] ?? 0)
  }
  const [accepted, skipped] = [await count('accepted'), await count('skipped')]
  const { email } = await person('plain')
  await rig.send([email, rig.email(newId())])
  await rig.send([email])
  expect([(await count('accepted')) - accepted, (await count('skipped')) - skipped]).toEqual([1, 1])
  const text = await (await fetch(`http://127.0.0.1:${rig.workerApp.healthPort}/metrics`)).text()
  expect(text).toMatch(/^lettergate_hand_offs_total\{kind="automation",result="accepted"/m)
})
