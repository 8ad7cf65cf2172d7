import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { until } from '@lettergate/stage'
import { openDelivery, type DeliveryStage } from './delivery-stage.ts'

let rig: DeliveryStage

beforeAll(async () => {
  rig = await openDelivery()
  await rig.worker()
})
afterAll(() => rig.close())

test('a campaign reaches exactly the eligible recipients, and its report adds up', async () => {
  const audience = await rig.audience()
  for (const name of [
    'anna',
    'ben',
    'cleo+hardbounce',
    'dora+softfail',
    'emil+silent',
    'fay+complain',
    'gil+open',
    'hans+click',
    'ida+unsubscribe',
    'jo+softthenok',
  ]) {
    await rig.subscriber(audience, `${name}@example.org`, name.split('+')[0])
  }
  const withdrawn = await rig.subscriber(audience, 'kim@example.org')
  await rig.contacts.suppressContact(rig.us, { contactId: withdrawn, scope: 'workspace', reason: 'manual' })
  const { campaignId } = await rig.draft(audience)
  const run = await rig.schedule(campaignId, { inMs: 3_600_000 })
  expect(run).toMatchObject({
    state: 'scheduled',
    includedCount: 10,
    excludedCount: 1,
    exclusionCounts: { suppressed_workspace: 1 },
    sentCount: 0,
  })
  await rig.begin(run.id)

  await until(async () => (await rig.report(run.id)).run.state === 'completed', {
    what: 'the run to complete',
  })
  const { report } = await until(
    async () => {
      const found = await rig.report(run.id)
      const { accepted, delivered, failed, opened, clicked, complained, unsubscribed } = found.report.events
      return accepted === 10 &&
        delivered === 7 &&
        failed === 3 &&
        opened === 1 &&
        clicked === 1 &&
        complained === 1 &&
        unsubscribed === 1 &&
        found.report.unsubscribesAttributed === 1
        ? found
        : undefined
    },
    { what: 'all events' },
  )
  expect(report).toMatchObject({
    sent: 10,
    delivered: 7,
    hardBounced: 1,
    softFailedOnly: 1,
    noTerminalEvent: 1,
    deliveryRate: 70,
    bounceRate: 10,
    openedRecipients: 1,
    clickedRecipients: 1,
    complained: 1,
    skipped: 0,
    unknown: 0,
    failed: 0,
    unsubscribesAttributed: 1,
  })
  expect(report.heldBy).toBeUndefined()
  expect(report.delivered + report.hardBounced + report.softFailedOnly + report.noTerminalEvent).toBe(report.sent)

  const messages = await rig.messages()
  expect(messages).toHaveLength(10)
  const anna = messages.find(({ to }) => to.includes('anna@'))!
  expect(anna.subject).toBe('News for anna')
  expect(anna.html).toContain('Hello anna,')
  expect(anna.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
  expect(anna.headers['List-Unsubscribe']).toMatch(/^<http:\/\/.+\/preferences\/one-click\/.+>$/)
  expect(anna.headers['Reply-To']).toBe('hello@acme.test')
  const rows = await rig.stage.query<{ id: string }>(`select id from campaigns.run_recipients where run_id = $1`, [
    run.id,
  ])
  expect(new Set(messages.map(({ variables }) => variables['message_id']))).toEqual(new Set(rows.map(({ id }) => id)))
  const [campaign] = await rig.stage.query<{ status: string }>(`select status from campaigns.campaigns where id = $1`, [
    campaignId,
  ])
  expect(campaign!.status).toBe('sent')
})

test('a recipient whose fields exceed the message limit is skipped with that reason, and the others get their messages', async () => {
  await rig.contacts.defineContactField(rig.us, { fieldKey: 'bio', label: 'Bio', fieldType: 'long_text' })
  const audience = await rig.audience()
  await rig.subscriber(audience, 'leo@example.org', 'Leo')
  const contactId = await rig.subscriber(audience, 'mia@example.org', 'Mia')
  await rig.contacts.upsertContact(rig.us, {
    email: 'mia@example.org',
    source: 'test',
    customFields: { bio: '漢'.repeat(10_000) },
    updateMask: { paths: ['custom_fields'] },
  })
  const { campaignId, templateId } = await rig.draft(audience)
  const { contentVersion } = await rig.campaigns.createContentVersion(rig.us, {
    templateId,
    subject: 'Hi',
    html: '<img src="https://acme.test/i.png?b={{ bio }}&amp;c={{ bio }}"><a href="{{ unsubscribe_url }}">leave</a>',
  })
  await rig.campaigns.createCampaignDraftVersion(rig.us, {
    campaignId,
    name: 'Bios',
    audienceId: audience,
    senderIdentityId: rig.senderId,
    contentVersionId: contentVersion!.id,
  })
  const run = await rig.schedule(campaignId)
  const { report } = await until(
    async () => {
      const found = await rig.report(run.id)
      return found.run.state === 'completed' ? found : undefined
    },
    { what: 'the run to complete' },
  )
  expect(report).toMatchObject({ sent: 1, skipped: 1, skipReasons: { message_too_large: 1 }, failed: 0 })
  const { recipients } = await rig.campaigns.listCampaignRunRecipients(rig.us, { runId: run.id, state: 'skipped' })
  expect(recipients).toMatchObject([{ contactId, reasons: ['message_too_large'] }])
})
