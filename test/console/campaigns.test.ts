// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, comeBack, openHeld, localTime, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import {
  addAutomation,
  addDraft,
  addSender,
  addUnknownRun,
  atConsole,
  openSending,
  openSettings,
  openWorld,
  runCampaign,
  scheduleRun,
  setGate,
  workspace,
  type ConsoleWorld,
} from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let senderId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  senderId = await openSending(stage.services, world.owner)
})
afterAll(async () => {
  await stage?.close()
})

describe('the pages of campaigns', () => {
  inBrowser(
    'write a draft for two audiences and tags, schedule it with its name, pause, resume and cancel',
    async () => {
      const page = await stage.signedIn('owner', { timezoneId: 'Asia/Tokyo' })
      await page.getByRole('link', { name: 'Campaigns' }).click()
      await page.getByRole('link', { name: 'New campaign' }).click()
      const steps = page.getByRole('navigation', { name: 'Steps of the draft' })
      await steps.getByText('Open: choose who it is from').waitFor()
      await steps.getByRole('link', { name: 'Content' }).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.type('Spring 2026')
      await steps.getByText('Open: choose what it says').waitFor()
      expect(await page.getByLabel('Name').inputValue()).toBe('Spring 2026')
      await choose(page, 'Template', 'Monthly newsletter')
      await choose(page, 'Version of the content', /^1:/)
      await choose(page, 'Sender', /asa@mail.acme.test/)
      await choose(page, 'Audiences', /^Weekly news/)
      await page.getByRole('option', { name: /^Product news/ }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('combobox', { name: 'With none of these tags' }).fill('london')
      await page.keyboard.press('Enter')
      await page.getByText(/^At most 7 active members\. .*somebody in several audiences counts once/).waitFor()
      await steps.getByText('Done: nothing is missing').waitFor()
      await page.getByRole('button', { name: 'Save the draft' }).click()
      await page.getByRole('heading', { level: 1, name: 'Spring 2026' }).waitFor()
      await page.getByText('none of london').waitFor()

      await page.getByRole('region', { name: 'Preview' }).locator('iframe').waitFor()
      await page.getByText('One condition is missing').waitFor()
      expect(await page.getByRole('list', { name: 'Conditions' }).getByRole('listitem').count()).toBe(11)
      const at = await localTime(page, 3_600_000)
      await page.getByLabel('Send at').fill(at)
      const time = page.getByRole('listitem').filter({ hasText: 'The time is in the future' }).getByRole('time')
      expect(await time.getAttribute('datetime')).toBe(new Date(`${at}+09:00`).toISOString())
      expect(await time.innerText()).toBe(
        await page.evaluate<string>(
          `new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date('${at}'))`,
        ),
      )
      await page.getByRole('button', { name: 'Schedule', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('The recipients are fixed now').waitFor()
      expect(await dialog.getByRole('list', { name: 'Conditions' }).getByRole('listitem').count()).toBe(11)
      expect(await dialog.getByRole('button', { name: 'Schedule the campaign' }).isDisabled()).toBe(true)
      await dialog.getByLabel(/^Type Spring 2026/).fill('Spring 2026')
      await act(page, 'Schedule the campaign')

      await page.getByRole('heading', { level: 1, name: 'Run of Spring 2026' }).waitFor()
      await page
        .getByRole('region', { name: 'Who is left out, and why' })
        .getByText('Suppressed for this workspace')
        .waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      await act(page, 'Pause it')
      await page.getByRole('button', { name: 'Resume' }).click()
      await act(page, 'Resume it')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await act(page, 'Cancel the run')
      await page.getByText('Cancelled').first().waitFor()
    },
  )

  inBrowser(
    'keep the dialog of a schedule open, confirmed as its name is seen, and say what holds no more',
    async () => {
      const campaignId = await addDraft(world, senderId, 'Cafe\u0301 \u202enews')
      const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/campaigns/${campaignId}` })
      const inFuture = await localTime(page, 3_600_000)
      await page.getByLabel('Send at').fill(inFuture)
      await page.getByRole('button', { name: 'Schedule', exact: true }).click()
      const dialog = page.getByRole('dialog')
      const button = dialog.getByRole('button', { name: 'Schedule the campaign' })
      expect(await button.isDisabled()).toBe(true)
      await dialog.getByLabel(/^Type /).fill('Café news')
      expect(await button.isEnabled()).toBe(true)

      await setGate(stage.services, 'production_sending_enabled', false)
      await comeBack(page)
      await dialog.getByText('One condition is missing.').waitFor()
      expect(await button.isDisabled()).toBe(true)
      await setGate(stage.services, 'production_sending_enabled', true)
      await comeBack(page)
      await dialog.getByText('One condition is missing.').waitFor({ state: 'detached' })
      expect(await button.isEnabled()).toBe(true)

      await world.owner.ok(
        'POST',
        `${workspace}/campaign-drafts/${campaignId}/schedule`,
        { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
        { 'idempotency-key': randomUUID() },
      )
      await comeBack(page)
      await dialog.getByText('It is scheduled.').waitFor()
      expect(await button.isDisabled()).toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'Ready to schedule?' }).waitFor({ state: 'detached' })
    },
  )

  inBrowser('say in the open dialog of a schedule that its time has passed', async () => {
    const campaignId = await addDraft(world, senderId, 'Too late')
    const page = await stage.signedIn('owner')
    await page.clock.install()
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/${campaignId}`)
    await page.getByLabel('Send at').fill(await localTime(page, 3_600_000))
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type /).fill('Too late')
    await page.clock.fastForward(3_660_000)
    await dialog.getByText('One condition is missing.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Schedule the campaign' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the campaign')
  })

  inBrowser('say at the input of a draft why it was refused, and go to it', async () => {
    const campaignId = await addDraft(world, senderId, 'Refused')
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/campaigns/${campaignId}/edit` })
    const name = page.getByLabel('Name')
    await name.fill('n'.repeat(161))
    await page.getByRole('button', { name: 'Save a new version' }).click()
    await page.getByRole('region', { name: 'Schedule' }).getByRole('alert').waitFor()
    await name.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    await page
      .getByRole('region', { name: 'Content' })
      .getByText(/^Name .*160 characters/)
      .waitFor()
    await page.getByRole('combobox', { name: 'With any of these tags' }).fill('vpi')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save a new version' }).click()
    await name.and(page.locator('[aria-invalid=true]:focus')).waitFor()
    await page.getByRole('combobox', { name: 'With any of these tags' }).press('Backspace')
    await name.fill('Short')
    await name.and(page.locator('[aria-invalid=true]')).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save a new version' }).click()
    await page.getByRole('heading', { level: 1, name: 'Short' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the campaign')
  })

  inBrowser('name the tags of a filter that are not there, where they are typed and before the schedule', async () => {
    const page = await stage.signedIn('editor')
    const campaigns = `${stage.services.baseUrl}/console/w/acme/newsletter/campaigns`
    const list = await openHeld(page, `${campaigns}/new`, '**/newsletter/audiences')
    await page.getByRole('combobox', { name: 'Audiences' }).click()
    await page.getByRole('option', { name: 'Loading' }).waitFor()
    await page.getByRole('region', { name: 'Audience' }).getByText('The service has not answered yet').waitFor()
    await page.keyboard.press('Escape')
    list.release()
    await choose(page, 'Audiences', /^Weekly news/)
    await page.keyboard.press('Escape')
    const any = page.getByRole('combobox', { name: 'With any of these tags' })
    await any.fill('vpi')
    await page.keyboard.press('Enter')
    await page.getByText('vpi is no tag of this workspace. The campaign cannot be scheduled with it.').waitFor()
    const check = page.getByRole('list', { name: 'Check of the draft' })
    await check.getByText('vpi is no tag of this workspace').waitFor()
    await any.focus()
    await page.keyboard.press('Backspace')
    await check.getByText('Weekly news').waitFor()

    // A tag of a stored draft may be renamed later.
    const owner = await stage.services.inBrowser('owner')
    const { campaign } = await owner.ok<{ campaign: { id: string } }>('POST', `${atConsole}/campaign-drafts`, {
      name: 'By a tag',
      audience_ids: [world.audienceId],
      tag_filter: { all: ['vip', 'old'] },
      sender_identity_id: senderId,
      content_version_id: world.contentId,
    })
    const named = await openHeld(page, `${campaigns}/${campaign.id}`, '**/newsletter/audiences')
    await page.getByRole('region', { name: 'What is sent' }).getByText('The service has not answered yet').waitFor()
    named.release()
    const condition = page.getByRole('listitem').filter({ hasText: 'its tags and its template are in use' })
    await condition.getByText('old is no tag of this workspace: it may have been renamed').waitFor()
    await page
      .getByRole('region', { name: 'What is sent' })
      .getByText(/^At most \d active members/)
      .waitFor()
    await condition.getByRole('link', { name: 'Fix it' }).click()
    await page.getByText('old is no tag of this workspace. The campaign').waitFor()
    const again = await openHeld(page, page.url(), '**/newsletter/audiences')
    const audience = page.getByRole('region', { name: 'Audience' })
    await audience.getByText('…', { exact: true }).waitFor()
    expect(await audience.getByText(world.audienceId).count()).toBe(0)
    expect(await page.getByText('choose who gets it').count()).toBe(0)
    again.release()
    await audience.getByText(/^Weekly news \(/).waitFor()
    await page.goto(`${campaigns}/${campaign.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the campaign')
  })

  inBrowser('unschedule a run, whose campaign is a draft again', async () => {
    const campaignId = await addDraft(world, senderId, 'Too early')
    const { campaign_run } = await world.owner.ok<{ campaign_run: { id: string } }>(
      'POST',
      `${workspace}/campaign-drafts/${campaignId}/schedule`,
      { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
      { 'idempotency-key': randomUUID() },
    )
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/runs/${campaign_run.id}` })
    await page.getByRole('button', { name: 'Unschedule' }).click()
    await act(page, 'Unschedule it')
    await page.locator('main').getByText('Unscheduled', { exact: true }).first().waitFor()
    await page.getByRole('link', { name: 'see the campaign' }).click()
    await page.getByRole('region', { name: 'Ready to schedule?' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the campaign')
  })

  inBrowser('show each outcome of a run and find a recipient', async () => {
    const runId = await scheduleRun(world, senderId)
    const page = await stage.signedIn('analyst')
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('link', { name: 'Spring newsletter' }).click()
    await page.waitForURL(`**/runs/${runId}`)
    const recipients = page.getByRole('table', { name: 'Recipients' })
    const edsger = recipients.getByRole('row', { name: /^edsger/ })
    await edsger.getByText('Pending').waitFor()
    await edsger.getByRole('link').focus()
    await stage.services.stage.query('update campaigns.campaign_runs set scheduled_for = now() where id = $1', [runId])
    await page
      .getByRole('region', { name: 'What became of the emails' })
      .getByText(/Hard bounced: 1/)
      .waitFor()
    await edsger.getByText('Hard bounced').waitFor()
    await recipients.getByText('Pending').first().waitFor({ state: 'detached' })
    await edsger.getByRole('link').and(page.locator(':focus')).waitFor()
    await page.getByLabel('Address').fill('edsger')
    await recipients.getByText('Hard bounced').waitFor()
    const file = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    expect(await readFile(await (await file).path(), 'utf8')).toContain(
      '\nedsger+hardbounce@people.example.com,hard_bounced,',
    )
    const runPage = new URL(page.url()).pathname
    await recipients.getByRole('link', { name: /^edsger/ }).click()
    const email = page.getByRole('table', { name: 'Emails to the contact' }).getByRole('row', { name: /Hard bounced/ })
    await email.getByRole('link', { name: 'Spring newsletter' }).click()
    await page.waitForURL(`**${runPage}`)
    await page.getByRole('link', { name: 'Suppressions', exact: true }).click()
    const bounced = page.getByRole('row', { name: /hardbounce/ })
    await bounced.getByRole('link', { name: 'an email of this run' }).click()
    await page.waitForURL(`**${runPage}`)
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
  })

  inBrowser('do not offer to delete a campaign that was sent', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/campaigns' })
    await page.getByRole('link', { name: 'Spring newsletter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Spring newsletter' }).waitFor()
    await page.locator('main').getByText('Sent', { exact: true }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
  })

  inBrowser('show what a run sent, also after it was sent', async () => {
    const page = await stage.signedIn('analyst', { at: '/w/acme/newsletter/campaigns' })
    await page.getByRole('link', { name: 'Spring newsletter' }).click()
    const email = page.frameLocator('iframe[sandbox=""]')
    await email.getByText('Hello').first().waitFor()
    await page.getByRole('table', { name: 'Runs' }).getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: 'Run of Spring newsletter' }).waitFor()
    await page.route('**/newsletter/campaigns/*', (route) => route.fulfill({ status: 500 }))
    await page.reload()
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unroute('**/newsletter/campaigns/*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run of Spring newsletter' }).waitFor()
    await page.getByRole('link', { name: 'Monthly newsletter, version 1' }).click()
    await page.waitForURL(`**/templates/${world.templateId}?version=${world.contentId}`)
    await email.getByText('Hello').first().waitFor()
  })

  inBrowser('say which part of the gate for production sending is closed to who can know it', async () => {
    const campaignId = await addDraft(world, senderId, 'Behind a gate')
    await setGate(stage.services, 'production_sending_enabled', false)
    try {
      const conditionsFor = async (who: string) => {
        const page = await stage.signedIn(who, { at: `/w/acme/newsletter/campaigns/${campaignId}` })
        const items = page.getByRole('list', { name: 'Conditions' }).getByRole('listitem')
        const of = (title: string) => items.filter({ hasText: title })
        return { page, ceiling: of('This deployment allows'), gate: of('The platform switch of') }
      }
      const owner = await conditionsFor('owner')
      await owner.gate.getByRole('img', { name: 'Missing' }).waitFor()
      await owner.ceiling.getByRole('img', { name: 'Holds' }).waitFor()
      await owner.page.getByText('2 conditions are missing').waitFor()
      await owner.gate.getByRole('link', { name: 'Fix it' }).click()
      await owner.page.getByRole('heading', { level: 1, name: 'Gates' }).waitFor()
      const editor = await conditionsFor('editor')
      await editor.gate.getByRole('img', { name: 'Not known' }).waitFor()
      await editor.ceiling.getByRole('img', { name: 'Not known' }).waitFor()
      await editor.page.getByText('2 conditions are missing').waitFor()
      await editor.page.getByRole('button', { name: 'Delete' }).click()
      await act(editor.page, 'Delete the campaign')
    } finally {
      await setGate(stage.services, 'production_sending_enabled', true)
    }
  })

  inBrowser('say which condition is missing, and where to fix it', async () => {
    const page = await stage.signedIn('owner')
    const { sending_domains: domains } = await stage.services
      .inBrowser('owner')
      .then((browser) => browser.ok<{ sending_domains: { id: string }[] }>('GET', `${atConsole}/sending-domains`))
    const { sender_identity: sender } = await world.owner.ok<{ sender_identity: { id: string } }>(
      'POST',
      `${workspace}/sender-identities`,
      {
        sending_domain_id: domains[0]!.id,
        display_name: 'Never enabled',
        from_address: 'never@mail.acme.test',
        reply_to: 'never@mail.acme.test',
      },
    )
    const { campaign } = await world.owner.ok<{ campaign: { id: string } }>('POST', `${workspace}/campaign-drafts`, {
      name: 'Later',
      audience_id: world.audienceId,
      sender_identity_id: sender.id,
      content_version_id: world.contentId,
    })
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/${campaign.id}`)
    await page.getByText('2 conditions are missing').waitFor()
    await page
      .getByRole('listitem')
      .filter({ hasText: 'The sender is enabled' })
      .getByRole('link', { name: 'Fix it' })
      .waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the campaign')
    await page.waitForURL('**/campaigns')
  })

  inBrowser(
    'list on the home page what waits for a person, each with its link, and only what the role can do',
    async () => {
      const draft = async (name: string) => {
        const { campaign } = await world.owner.ok<{ campaign: { id: string } }>(
          'POST',
          `${workspace}/campaign-drafts`,
          {
            name,
            audience_id: world.audienceId,
            sender_identity_id: senderId,
            content_version_id: world.contentId,
          },
        )
        return campaign.id
      }
      await draft('Summer')
      const { campaign_run } = await world.owner.ok<{ campaign_run: { id: string } }>(
        'POST',
        `${workspace}/campaign-drafts/${await draft('Autumn')}/schedule`,
        { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() },
        { 'idempotency-key': randomUUID() },
      )
      await world.owner.ok('POST', `${workspace}/campaign-runs/${campaign_run.id}/pause`, {})
      await addAutomation(world, senderId)
      const [{ id: workspaceId } = { id: '' }] = await stage.services.stage.query<{ id: string }>(
        `select id from identity.workspaces where slug = 'newsletter'`,
      )
      const alert = { code: 'run_overdue', severity: 'warning', summary: 'A run starts late.', detail: {} }
      await stage.services.stage.publish('campaigns-delivery', AlertRaisedSchema, alert, { workspaceId })
      await until(async () => (await stage.services.stage.query('select 1 from identity.alerts')).length === 1)

      const page = await stage.signedIn('owner')
      const lines = page.getByRole('region', { name: 'This needs you' }).getByRole('listitem')
      await lines.nth(3).waitFor()
      expect(await lines.allInnerTexts()).toEqual([
        '1 alert of the platform: follow the runbook, then acknowledge.',
        '1 run paused: resume or cancel.',
        '1 campaign not scheduled yet: finish, schedule or delete.',
        '1 automation not reviewed yet: review, then publish.',
      ])
      for (const [name, address, row] of [
        ['1 alert', '/console/platform/alerts', /A run starts late/],
        ['1 run', '/runs?state=paused', /^Autumn/],
        ['1 campaign', '/campaigns?status=draft', /^Summer/],
        ['1 automation', '/automations?status=draft', /^Welcome/],
      ] as const) {
        await lines.getByRole('link', { name, exact: true }).click()
        await page.waitForURL(`**${address}`)
        await page.getByRole('row', { name: row }).waitFor()
        await page.goBack()
        await lines.nth(3).waitFor()
      }

      const editor = await stage.signedIn('editor')
      const ofEditor = editor.getByRole('region', { name: 'This needs you' }).getByRole('listitem')
      await ofEditor.nth(1).waitFor()
      expect(await ofEditor.allInnerTexts()).toEqual([
        '1 campaign not scheduled yet: finish, schedule or delete.',
        '1 automation not reviewed yet: review, then publish.',
      ])
      const analyst = await stage.signedIn('analyst')
      await analyst.getByRole('table', { name: 'Newest runs' }).getByText('Autumn').waitFor()
      await analyst.waitForLoadState('networkidle')
      expect(await analyst.getByRole('region', { name: 'This needs you' }).count()).toBe(0)
    },
  )

  inBrowser('send the unknown of a run again from another sender after the exact phrase', async () => {
    const runId = await addUnknownRun(stage.services, world, senderId)
    const otherSenderId = await addSender(stage.services, world.owner)
    // A resend of all of them that was paused before it reached anybody.
    const [paused] = await stage.services.stage.query<{ id: string }>(
      `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, resends_run_id)
       select workspace_id, uuidv7(), campaign_id, gen_random_uuid(), content_version_id, sender_identity_id, 'paused', now(), included_count, scheduled_by, correlation_id, id
         from campaigns.campaign_runs where id = $1 returning id`,
      [runId],
    )
    await stage.services.stage.query(
      `insert into campaigns.run_recipients (workspace_id, run_id, id, batch, contact_id, audience_id, normalized_email)
       select workspace_id, $2, uuidv7(), batch, contact_id, audience_id, normalized_email
         from campaigns.run_recipients where run_id = $1`,
      [runId, paused!.id],
    )
    await stage.services.stage.query(
      `insert into campaigns.delivery_batches (workspace_id, run_id, batch)
       select distinct workspace_id, run_id, batch from campaigns.run_recipients where run_id = $1`,
      [paused!.id],
    )
    const analyst = await stage.signedIn('analyst', { at: `/w/acme/newsletter/runs/${runId}` })
    const ofAnalyst = analyst.getByRole('region', { name: 'Unknown' })
    await ofAnalyst.getByText('The newest run that sends them again is paused. It sent nothing yet.').waitFor()
    await ofAnalyst.getByRole('link', { name: 'See that run' }).waitFor()
    await world.owner.ok('POST', `${workspace}/campaign-runs/${paused!.id}/cancel`, {})
    await ofAnalyst.getByText('was cancelled. None of them was sent again yet.').waitFor()
    await ofAnalyst.getByText('cannot send the unknown again').waitFor()
    expect(await ofAnalyst.getByRole('button', { name: 'Send them again' }).count()).toBe(0)
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/runs/${runId}` })
    const unknown = page.getByRole('region', { name: 'Unknown' })
    await unknown.getByText('None of them was sent again yet.').waitFor()
    const numbers = `**/campaign-runs/${runId}/unknown`
    await page.route(numbers, (route) => route.fulfill({ status: 500 }))
    await page.reload()
    await unknown.getByRole('button', { name: 'Try again' }).click()
    await page.unroute(numbers)
    await unknown.getByRole('button', { name: 'Send them again' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('People may get the email twice').waitFor()
    const count = dialog.getByLabel('Number of recipients')
    const right = await count.inputValue()
    expect(Number(right)).toBeGreaterThan(0)
    await count.fill('99')
    await choose(page, 'Another sender', 'News of Acme <news@mail.acme.test>')
    await dialog.getByLabel(/^Type SEND UNKNOWN AGAIN/).fill('SEND UNKNOWN AGAIN: PEOPLE MAY GET IT TWICE')
    await dialog.getByRole('button', { name: 'Send again' }).click()
    const refusal = dialog.getByRole('alert', { name: 'Another number is unknown now' })
    await refusal.getByText(`is now ${right}. Type ${right} if you mean all of them.`).waitFor()
    await count.fill(right)
    await act(page, 'Send again')
    await page.getByRole('heading', { level: 1, name: 'Run of Lost answers (unknown again)' }).waitFor()
    await page.getByText(new RegExp(`^Of ${right} unknown emails? of another run when it was scheduled`)).waitFor()
    await page.getByText('This run sends the unknown of').waitFor()
    await page.getByRole('link', { name: 'another run' }).click()
    await unknown.getByText('has ended. They were sent again.').waitFor()
    expect(await unknown.getByRole('button', { name: 'Send them again' }).count()).toBe(0)
    const [resent] = await stage.services.stage.query<{ sender_identity_id: string }>(
      'select sender_identity_id from campaigns.campaign_runs where resends_run_id = $1 order by id desc',
      [runId],
    )
    expect(resent?.sender_identity_id).toBe(otherSenderId)
  })

  inBrowser('compare the rates of the last runs as lines and as a table', async () => {
    const runIds = [
      await runCampaign(stage.services, world, senderId),
      await runCampaign(stage.services, world, senderId),
    ]
    const page = await stage.signedIn('analyst')
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    const trends = page.getByRole('region', { name: 'Trends' })
    await trends.getByRole('img', { name: /^Bounced in \d runs: / }).waitFor()
    await trends.getByText('Table', { exact: true }).click()
    const rates = trends.getByRole('table', { name: 'Rates of the last runs' })
    for (const runId of runIds) await rates.locator(`a[href$="/runs/${runId}"]`).waitFor()
    await rates.getByRole('columnheader', { name: 'Opened' }).waitFor()
  })

  inBrowser('say that a run stalls, and which closed gate holds it', async () => {
    const runId = await runCampaign(stage.services, world, senderId)
    const page = await stage.signedIn('owner')
    const report: Record<string, unknown> = { sent: 0 }
    await page.route('**/report', async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { campaign_run: object; report: object }
      const json = {
        campaign_run: { ...answer.campaign_run, state: 'sending', included_count: 1_000 },
        report: { ...answer.report, ...report },
      }
      await route.fulfill({ response, json })
    })
    await page.clock.install()
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/runs/${runId}`)
    const progress = page.getByRole('region', { name: 'Progress' })
    await progress.getByText(/^Handed off/).waitFor()
    const later = async (ms: number) => {
      const answer = page.waitForResponse('**/report')
      await page.clock.fastForward(ms)
      await (await answer).finished()
    }
    report['held_by'] = 'production_sending_enabled'
    await later(3_000)
    const held = page.getByRole('alert').filter({ hasText: 'Held: production sending is closed' })
    await held.getByText('Runs that are sending wait').waitFor()
    await held.getByRole('link', { name: 'Gates' }).waitFor()
    report['held_by'] = 'sending_domain'
    await later(3_000)
    const bySender = page.getByRole('alert').filter({ hasText: 'Held: the domain of the sender is not ready' })
    await bySender.getByRole('link', { name: 'Sending' }).waitFor()
    expect(await progress.getByText('Rate').count()).toBe(0)
    report['held_by'] = null
    await later(3_000)
    await bySender.waitFor({ state: 'detached' })
    report['sent'] = 300
    await later(3_000)
    await progress.getByText('Time left').waitFor()
    for (let left = 3; left > 0; left -= 1) await later(12_000)
    await progress.getByText('0 a minute').waitFor()
    expect(await progress.getByText('Time left').count()).toBe(0)

    report['sent'] = 600
    await later(3_000)
    await progress.getByText('Time left').waitFor()
    const asked = Promise.withResolvers<undefined>()
    await page.route('**/report', () => asked.resolve(undefined)) // without an answer
    await page.clock.fastForward(3_000)
    await asked.promise
    await page.clock.fastForward(12_000)
    await progress.getByText('Time left').waitFor({ state: 'detached' })
    expect(await progress.getByText('Rate').count()).toBe(0)
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
