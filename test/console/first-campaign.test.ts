// This file has over 300 lines because its tests share one started set of services.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, isInSight, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import {
  addDraft,
  openSending,
  openSettings,
  openWorld,
  runCampaign,
  setGate,
  workspace,
  type ConsoleWorld,
} from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let senderId: string
beforeAll(async () => {
  if (hasChromium) stage = await openConsoleStage({ ...openSettings, DEPLOYMENT_ENVIRONMENT: 'local' })
})
afterAll(async () => {
  await stage?.close()
})

const stepsOf = (page: Page) => page.getByRole('region', { name: 'To the first campaign' })
const openHome = (page: Page) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter`)

async function schedule(name: string, inHours: number): Promise<string> {
  const { campaign_run: run } = await world.owner.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${await addDraft(world, senderId, name)}/schedule`,
    { scheduled_for: new Date(Date.now() + inHours * 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return run.id
}

/** Events of years ago, which the page has after those of the run. Answers their ids, the oldest first. */
async function addOlderEvents(count: number): Promise<string[]> {
  const added = await stage.services.stage.query<{ id: string }>(
    `insert into webhooks.provider_events (id, workspace_id, connection_id, provider_event_id, event, reason, occurred_at, received_at, body_bytes, body_sha256)
     select ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, workspace_id, connection_id, 'older-' || number, 'delivered',
            'The server of the recipient took it, long ago', now(), now(), 2, decode(repeat('00', 32), 'hex')
       from generate_series(1, $1::int) number, (select workspace_id, connection_id from webhooks.provider_events limit 1) known
     returning id`,
    [count],
  )
  return added.map(({ id }) => id).toSorted()
}

describe('the sign-in page of a local deployment', () => {
  inBrowser('describes its users', async () => {
    const page = await stage.visit()
    await page.goto(`${stage.services.baseUrl}/console`)
    await page.getByText('The wallet of this local deployment asks for no password.').waitFor()
  })
})

describe('the steps of a new workspace', () => {
  inBrowser('lead from the connection to the first campaign, each with a link to its page', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.signedIn('owner', {
        at: '/w/acme/newsletter',
        colorScheme,
        viewport: { width: 375, height: 800 },
      })
      const steps = stepsOf(page)
      await steps.getByText('Next: connect the mail provider.').waitFor()
      expect(await steps.getByRole('link').allInnerTexts()).toEqual([
        'Connect the mail provider',
        'Make a sending domain ready',
        'Create an audience',
        'Get people into it: import a file, or connect a sign-up form',
        'Write an email as a template',
        'Open the platform gate for production sending',
        'Enable a sender',
        'Send yourself a test',
        'Activate sending for the workspace',
        'Write the first campaign',
        'Schedule it',
      ])
      await steps.getByText('A file can be approved only while nothing can send').waitFor()
      expect(await overflowOf(page)).toBe(0)
    }
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter' })
    for (const [link, heading] of [
      ['Connect the mail provider', 'Sending'],
      ['Open the platform gate for production sending', 'Gates'],
      ['Create an audience', 'Audiences'],
      ['Get people into it', 'Imports'],
      ['Write an email as a template', 'Templates'],
      ['Send yourself a test', 'Test and rehearse'],
      ['Schedule it', 'Campaigns'],
    ] as const) {
      await stepsOf(page).getByRole('link', { name: link }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.goBack()
    }
  })

  inBrowser('say who does what a role cannot do', async () => {
    const notesOf = async (who: string) => {
      const page = await stage.signedIn(who, { at: '/w/acme/newsletter' })
      const step = (title: string) => stepsOf(page).getByRole('listitem').filter({ hasText: title })
      await stepsOf(page).getByText('Next:').waitFor()
      return {
        connection: await step('Connect the mail provider').innerText(),
        gate: await step('Open the platform gate').innerText(),
        hasGateLink: (await step('Open the platform gate').getByRole('link').count()) > 0,
        sender: await step('Enable a sender').innerText(),
        audience: await step('Create an audience').innerText(),
        test: await step('Send yourself a test').innerText(),
      }
    }
    const ofDeployment = 'The operators of the deployment put the credential into the environment of the service first.'
    const ofTests =
      'Send yourself a test\nAn owner or administrator of the platform opens the gate for test sends, and the operators of the deployment allow your address.'
    const ofPlatform =
      'Open the platform gate for production sending\nAn owner or administrator of the platform does this.'
    expect(await notesOf('owner')).toEqual({
      connection: `Connect the mail provider\n${ofDeployment}`,
      gate: 'Open the platform gate for production sending',
      hasGateLink: true,
      sender: 'Enable a sender',
      audience: 'Create an audience',
      test: ofTests,
    })
    expect(await notesOf('wsowner')).toMatchObject({ gate: ofPlatform, hasGateLink: false, sender: 'Enable a sender' })
    expect(await notesOf('editor')).toEqual({
      connection: `Connect the mail provider\n${ofDeployment} An owner or brand admin of the workspace does this.`,
      gate: ofPlatform,
      hasGateLink: false,
      sender: 'Enable a sender\nAn owner of the workspace does this.',
      audience: 'Create an audience',
      test: ofTests,
    })
    expect(await notesOf('analyst')).toMatchObject({
      audience: 'Create an audience\nAn owner, brand admin or editor of the workspace does this.',
      test: `${ofTests} An owner, brand admin or editor of the workspace does this.`,
    })
  })
})

describe('the home of a workspace', () => {
  beforeAll(async () => {
    if (!hasChromium) return
    world = await openWorld(stage.services)
    senderId = await openSending(stage.services, world.owner)
  })

  inBrowser('says for each part that it could not be read, and reads it again', async () => {
    const page = await stage.signedIn('owner', { viewport: { width: 375, height: 800 } })
    const failing = ['**/newsletter/sending-overview', '**/newsletter/sending-domains', '**/newsletter/imports/csv']
    for (const url of failing)
      await page.route(url, (route) => route.fulfill({ status: 503, headers: { 'x-correlation-id': 'lost-4711' } }))
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter`)
    const parts = ['This needs you', 'To the first campaign', 'Handed off in 7 days', 'Bounced of them'].map((name) =>
      page.getByRole('region', { name }),
    )
    for (const part of parts) {
      await part.getByRole('alert').getByText('A part of the service does not answer').waitFor()
      await part.getByText('lost-4711').waitFor()
    }
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('region', { name: 'Audiences' }).getByText('in all').waitFor()

    for (const url of failing) await page.unroute(url)
    const [needs, steps, sent] = parts
    for (const part of [needs!, steps!, sent!]) await part.getByRole('button', { name: 'Try again' }).click()
    await sent!.getByText('0 by campaigns, 0 by automations').waitFor()
    await steps!.getByRole('link', { name: 'Write the first campaign' }).waitFor()
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    await page.getByText('No run is scheduled').waitFor()
  })

  inBrowser('has the steps, which are done one by one and go when the first run is scheduled', async () => {
    await setGate(stage.services, 'test_sends_enabled', true)
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter' })
    const steps = stepsOf(page)
    await steps.getByText('Next: send yourself a test.').waitFor()
    await steps.getByText('Open the platform gate for production sending: done').waitFor()
    await steps.getByRole('link', { name: 'Send yourself a test' }).click()
    await page.getByRole('button', { name: 'Send a test' }).first().click()
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await choose(page, 'Template', 'Monthly newsletter')
    await page.getByRole('dialog').getByLabel('Address', { exact: false }).fill('ada@people.example.com')
    await page.getByLabel(/^Type SEND TEST EMAIL/).fill('SEND TEST EMAIL')
    await act(page, 'Send it')
    await openHome(page)
    await steps.getByText('Next: write the first campaign.').waitFor()
    await steps.getByText('Send yourself a test: done').waitFor()

    await runCampaign(stage.services, world, senderId)
    await openHome(page)
    await page.getByRole('table', { name: 'Newest runs' }).getByRole('link', { name: 'Spring newsletter' }).waitFor()
    expect(await steps.count()).toBe(0)
  })

  inBrowser('has the totals of 7 days and the next runs, the earliest first', async () => {
    await schedule('Later', 5)
    const nextId = await schedule('Soon', 2)
    const page = await stage.signedIn('analyst')
    const sent = page.getByRole('region', { name: 'Handed off in 7 days' })
    await sent.getByText(/^[1-9] by campaigns, 0 by automations$/).waitFor()
    expect(await sent.getByRole('link').allInnerTexts()).toEqual(['See all runs'])
    await page
      .getByRole('region', { name: 'Delivered of them' })
      .getByText(/^\d.* %$/)
      .waitFor()
    const bounced = page.getByRole('region', { name: 'Bounced of them' }).getByRole('link')
    expect(await bounced.getAttribute('href')).toMatch(/\/suppressions\?reason=hard_bounce$/)
    const next = page.getByRole('table', { name: 'Next runs' })
    await next.getByRole('link', { name: 'Soon' }).waitFor()
    expect(await next.getByRole('link').allInnerTexts()).toEqual(['Soon', 'Later'])
    await next.getByRole('link', { name: 'Soon' }).click()
    await page.waitForURL(`**/runs/${nextId}`)
  })
})

describe('a campaign', () => {
  inBrowser('says what of it could not be read', async () => {
    const draftId = await addDraft(world, senderId, 'Half read')
    const page = await stage.signedIn('analyst')
    await page.route('**/newsletter/sender-identities', (route) => route.fulfill({ status: 503 }))
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/${draftId}`)
    const what = page.getByRole('region', { name: 'What is sent' })
    await what.getByRole('alert').waitFor()
    expect(await what.getByText('…').count()).toBe(0)
    await page.unroute('**/newsletter/sender-identities')
    await what.getByRole('button', { name: 'Try again' }).click()
    await what.getByText('<asa@mail.acme.test>').waitFor()
  })
})

describe('the page of provider events', () => {
  inBrowser('show what the provider reported, with its details, and replay it for who may', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Provider events' }).click()
    await choose(page, 'Kind', 'Not delivered')
    await page.waitForURL('**/provider-events?event=failed')
    const bounce = page.getByRole('row', { name: /Not delivered, and not tried again/ })
    await bounce.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('counts nothing twice').waitFor()
    await act(page, 'Replay it')
    await bounce.getByRole('button', { name: /^See/ }).click()
    const details = page.getByRole('dialog')
    await details.getByText('Replayed').waitFor()
    await details.getByText(/^[0-9a-f]{64}$/).waitFor()
    expect(page.url()).toContain('id=')

    const analyst = await stage.signedIn('analyst')
    await analyst.goto(page.url())
    await analyst.getByRole('dialog').getByText('Replayed').waitFor()
    expect(await analyst.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  })

  inBrowser('say that the event of a link is not among them', async () => {
    const page = await stage.signedIn('analyst', { at: `/w/acme/newsletter/provider-events?id=${randomUUID()}` })
    await page.getByRole('dialog').getByText('None of these events is the one of this link').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/provider-events')
  })

  inBrowser('load older events until that of a link is there, and events of other kinds', async () => {
    const [oldest] = await addOlderEvents(120)
    const page = await stage.signedIn('analyst')
    const address = `${stage.services.baseUrl}/console/w/acme/newsletter/provider-events`
    await page.goto(`${address}?id=${oldest}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The event of this link is not among those that are loaded. It may be older.').waitFor()
    await page.route('**/provider-events?*cursor=*', (route) => route.fulfill({ status: 503 }))
    await dialog.getByRole('button', { name: 'Load older events' }).click()
    await dialog.getByText('A part of the service does not answer').waitFor()
    await page.unroute('**/provider-events?*cursor=*')
    await dialog.getByRole('button', { name: 'Load older events' }).click()
    await dialog.getByText('The server of the recipient took it, long ago').waitFor()

    await page.goto(`${address}?event=failed&id=${oldest}`)
    await dialog.getByText('None of these events is the one of this link').waitFor()
    await dialog.getByRole('button', { name: 'Show every kind' }).click()
    await page.waitForURL(`${address}?id=${oldest}`)
    await dialog.getByRole('button', { name: 'Load older events' }).waitFor()
  })

  inBrowser('name for each event of the provider its run and recipient, also on a telephone', async () => {
    const page = await stage.signedIn('owner', {
      at: '/w/acme/newsletter/provider-events?event=failed',
      viewport: { width: 375, height: 800 },
    })
    const bounce = page.getByRole('row', { name: /Not delivered, and not tried again/ })
    expect(await isInSight(page, bounce.getByRole('button', { name: 'Replay' }))).toBe(true)
    expect(await isInSight(page, bounce.getByRole('button', { name: /^See/ }))).toBe(true)
    expect(await overflowOf(page)).toBe(0)
    await bounce.getByRole('link', { name: 'Spring newsletter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run of Spring newsletter' }).waitFor()
    await page.goBack()
    await bounce.getByRole('link', { name: 'edsger+hardbounce@people.example.com' }).click()
    await page.waitForURL(`**/contacts/${world.contacts['Edsger']}`)

    await page.route('**/newsletter/messages?*', (route) => route.fulfill({ status: 503 }))
    await page.goBack()
    await page.reload()
    await page.getByText('The runs and recipients of these events could not be read.').waitFor()
    await bounce.waitFor()
    await page.unroute('**/newsletter/messages?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await bounce.getByRole('link', { name: 'Spring newsletter' }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
