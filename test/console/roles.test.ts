import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { until } from '@lettergate/stage'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { addAutomation, openSending, openSettings, openWorld, runCampaign, scheduleRun, setGate } from './world.ts'

let stage: ConsoleStage
let paths: Record<string, string>
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  const world = await openWorld(stage.services)
  const senderId = await openSending(stage.services, world.owner)
  const runId = await runCampaign(stage.services, world, senderId)
  const plannedId = await scheduleRun(world, senderId)
  const automationId = await addAutomation(world, senderId)
  paths = {
    contacts: '/contacts',
    contact: `/contacts/${world.contacts['Ada']}`,
    audiences: '/audiences',
    audience: `/audiences/${world.audienceId}`,
    tags: '/tags',
    suppressions: '/suppressions',
    imports: '/imports',
    campaigns: '/campaigns',
    run: `/runs/${runId}`,
    'run to come': `/runs/${plannedId}`,
    templates: '/templates',
    template: `/templates/${world.templateId}`,
    automations: '/automations',
    automation: `/automations/${automationId}`,
    sending: '/sending',
    testing: '/testing',
    'provider events': '/provider-events',
    webhook: '/webhook',
    sources: '/sources',
    team: '/team',
  }
})
afterAll(async () => {
  await stage?.close()
})

/** What a button of the pages says that changes something. */
const changing =
  /^(Add|Create|Register|Rename|Merge|Define|Edit|Suppress|Resolve|Delete|Erase|Archive|Restore|Subscribe|Unsubscribe|New |Write|Upload|Publish|Pause|Resume|Cancel|Mark|Activate|Turn|Enable|Check|Verify|Send|Start|Run|Replay|Rotate|Revoke|Set |Make|Post|Remove)/

/** The buttons and links of a page that change something, and its note about the role. */
async function seenOn(page: Page, path: string) {
  await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await until(async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0)
  const main = page.locator('main')
  const names = [
    ...(await main.getByRole('button').allInnerTexts()),
    ...(await main.locator('a[data-variant]').allInnerTexts()),
  ]
  const note = await main.getByRole('note').allInnerTexts()
  const isRefused = (await main.getByText('Your role does not allow this').count()) > 0
  return { changing: names.map((name) => name.trim()).filter((name) => changing.test(name)), note, isRefused }
}

describe('the pages of a workspace', () => {
  inBrowser('say on every page that automations are off', async () => {
    await setGate(stage.services, 'automation_enabled', false)
    const page = await stage.signedIn('editor')
    await page.getByRole('button', { name: /^Sending on, 1 gate closed/ }).click()
    await page.getByText('Automations: closed.').waitFor()
    expect(await page.getByRole('link', { name: 'Open or close gates' }).count()).toBe(0)
    await setGate(stage.services, 'automation_enabled', true)
  })

  inBrowser('lead nobody to the gates who cannot see them', async () => {
    const sendTest = async (page: Page) => {
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/testing`)
      await page.getByRole('button', { name: 'Send a test' }).first().click()
      await choose(page, 'Sender', /asa@mail.acme.test/)
      await choose(page, 'Template', 'Monthly newsletter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Address', { exact: false }).fill('ada@people.example.com')
      await dialog.getByLabel(/^Type SEND TEST EMAIL/).fill('SEND TEST EMAIL')
      await dialog.getByRole('button', { name: 'Send it', exact: true }).click()
      await dialog.getByText('The platform gate for test sends is closed.').waitFor()
      return dialog.getByRole('link', { name: 'Gates' }).count()
    }
    const runChecks = async (page: Page) => {
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/testing`)
      await page.getByRole('button', { name: 'Run the checks' }).click()
      await act(page, 'Run it')
      const check = page.getByRole('row', { name: /^Production switch Blocked/ }).first()
      await check.waitFor()
      return check.getByRole('link', { name: 'Gates' }).count()
    }
    await setGate(stage.services, 'production_sending_enabled', false)
    const owner = await stage.signedIn('owner')
    expect([await sendTest(owner), await runChecks(owner)]).toEqual([1, 1])
    const member = await stage.signedIn('wsowner')
    expect([await sendTest(member), await runChecks(member)]).toEqual([0, 0])
    await setGate(stage.services, 'production_sending_enabled', true)
  })

  inBrowser('show an analyst nothing that changes something, and say who can', async () => {
    const page = await stage.signedIn('analyst')
    for (const [name, path] of Object.entries(paths)) {
      const seen = await seenOn(page, path)
      expect({ name, ...seen, note: [] }).toEqual({ name, changing: [], note: [], isRefused: false })
      // Nobody can do anything to a run that is over.
      if (name === 'run') expect([name, seen.note]).toEqual([name, []])
      else if (name !== 'team')
        expect([name, seen.note]).toEqual([
          name,
          [expect.stringMatching(/^Your role here, analyst, can.*can make changes\.|see it\.|admins can\./)],
        ])
    }
  })

  inBrowser('say to an analyst with the link of an erasure who can see it', async () => {
    const page = await stage.signedIn('analyst')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/erasures/${randomUUID()}`)
    const notice = page.getByRole('alert')
    await notice.getByText('Owners and brand admins can delete and erase contacts, and see').waitFor()
    await notice.getByRole('link', { name: 'Team' }).click()
    await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor()
  })

  inBrowser('show an editor what editors can do, and say who can do the rest', async () => {
    const page = await stage.signedIn('editor')
    const notes: Record<string, boolean> = {}
    for (const [name, path] of Object.entries(paths)) {
      const seen = await seenOn(page, path)
      expect({ name, isRefused: seen.isRefused }).toEqual({ name, isRefused: false })
      notes[name] = seen.note.length > 0
    }
    expect((await seenOn(page, paths['run to come']!)).note.join()).toContain(
      'cannot pause, resume or cancel a run. Owners and brand admins can.',
    )
    const ofAdministrators = [
      'audience',
      'suppressions',
      'run to come',
      'sending',
      'provider events',
      'webhook',
      'sources',
    ]
    expect(Object.keys(notes).filter((name) => notes[name])).toEqual(ofAdministrators)
  })

  inBrowser('offer an editor no action that the service would refuse, and none of the others are missing', async () => {
    const page = await stage.signedIn('editor')
    const offered = async (name: string) => (await seenOn(page, paths[name]!)).changing
    expect(await offered('tags')).toEqual(['Register a tag', 'Define a field'])
    expect(await offered('audience')).toEqual(['Archive'])
    expect(await offered('contact')).not.toContain('Suppress')
    expect(await offered('testing')).not.toContain('Run the checks')
    const owner = await stage.signedIn('wsowner')
    for (const [name, action] of [
      ['tags', 'Rename'],
      ['audience', 'Delete'],
      ['contact', 'Suppress'],
      ['testing', 'Run the checks'],
    ] as const) {
      await owner.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${paths[name]}`)
      await owner.locator('main').getByRole('button').getByText(action, { exact: true }).first().waitFor()
    }
  })

  inBrowser('offer a brand admin nothing that only owners can do to members', async () => {
    const page = await stage.signedIn('admin', { at: '/w/acme/newsletter/team' })
    const owner = page.getByRole('row', { name: /^wsowner/ })
    await owner.getByText('Only owners can').waitFor()
    expect(await owner.getByRole('button').count()).toBe(0)
    await page
      .getByRole('row', { name: /^editor/ })
      .getByRole('button', { name: 'Role' })
      .click()
    await page.getByRole('combobox', { name: 'Role' }).click()
    expect(await page.getByRole('option').allInnerTexts()).toEqual(['Brand admin', 'Editor', 'Analyst'])
  })

  inBrowser('offer every action to an owner without a note', async () => {
    const page = await stage.signedIn('wsowner')
    for (const path of ['/contacts', '/sending', '/sources', '/automations'])
      expect((await seenOn(page, path)).note).toEqual([])
    expect((await seenOn(page, '/contacts')).changing).toContain('Add a contact')
  })
})
