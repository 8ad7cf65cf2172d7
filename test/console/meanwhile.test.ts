import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { addSource } from './add-source.ts'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, holdAnswer, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { addDeadLetter, openWorld, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage()
  world = await openWorld(stage.services)
})
afterAll(async () => {
  await stage?.close()
})

const toast = (page: Page, text: string) => page.locator('.toasts').getByText(text)

/** Confirms the open dialog, and closes it after the service has made the change and before its answer arrives. */
async function closeBefore(page: Page, name: string, url: string): Promise<() => void> {
  const made = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() === 'GET') return route.fallback()
    const response = await route.fetch()
    made.resolve()
    await released.promise
    await route.fulfill({ response })
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name, exact: true }).click()
  await made.promise
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return released.resolve
}

/** And goes to the contacts. */
async function leaveBefore(page: Page, name: string, url: string): Promise<void> {
  const release = await closeBefore(page, name, url)
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  release()
}

describe('a secret of a page that was left before the answer', () => {
  inBrowser('is said to be lost, for the credential of a source', async () => {
    const page = await stage.signedIn('admin')
    await addSource(page, 'Footer', 'Weekly news')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('link', { name: 'Footer', exact: true }).click()
    await page.getByRole('button', { name: 'Rotate the credential' }).click()
    await leaveBefore(page, 'Rotate it', '**/subscription-sources/footer/credential')
    await toast(page, 'The new credential of footer was not shown').waitFor()
    await page.locator('.toasts').getByRole('link', { name: 'Open the page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Footer' }).waitFor()
    await page.getByRole('button', { name: 'Rotate the credential' }).waitFor()
    expect(await page.getByText(/^lgs_/).count()).toBe(0)

    // Who only closed the dialog sees it.
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Rotate the credential' }).click()
    const release = await closeBefore(page, 'Rotate it', '**/subscription-sources/footer/credential')
    release()
    await page.getByText(/^lgs_/).waitFor()
    expect(await toast(page, 'was not shown').count()).toBe(0)
  })

  inBrowser('is said to be lost, for a new source and the webhook', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Sources' }).click()
    await page.getByRole('button', { name: 'Add a source' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Sidebar')
    await page.getByRole('combobox', { name: 'Allowed origins' }).fill('https://www.acme.test')
    await page.keyboard.press('Enter')
    await choose(page, 'Audiences', 'Weekly news')
    await page.keyboard.press('Escape')
    await leaveBefore(page, 'Add it', '**/subscription-sources')
    await toast(page, 'The credential of sidebar was not shown').waitFor()
    await page.locator('.toasts').getByRole('link', { name: 'Open the page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sidebar' }).waitFor()

    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    await page.getByRole('button', { name: 'Set the URL' }).click()
    await page.getByRole('dialog').getByLabel('URL').fill('https://hooks.example.com/lettergate')
    await act(page, 'Set it')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('button', { name: 'New secret' }).click()
    await leaveBefore(page, 'Make it', '**/newsletter/campaign-webhook')
    await toast(page, 'The new secret of the webhook was not shown').waitFor()
  })
})

describe('a suppression', () => {
  inBrowser('that a colleague resolved meanwhile says so, with the reason that is stored', async () => {
    const page = await stage.signedIn('admin', { at: '/w/acme/newsletter/suppressions?search=tony' })
    const row = page.getByRole('row', { name: /tony@people/ })
    await row.getByRole('button', { name: 'Resolve' }).click()
    await page.getByRole('dialog').getByLabel('Why is this right?').fill('He called')
    const [suppression] = await stage.services.stage.query<{ id: string }>(
      `select id from contacts.suppressions where contact_id = $1`,
      [world.contacts['Tony']],
    )
    const owner = await stage.services.inBrowser('owner')
    await owner.ok('POST', `${workspace}/suppressions/${suppression!.id}/resolve`, { resolution_reason: 'He wrote' })
    await act(page, 'Resolve it')
    await toast(page, 'owner resolved it before, with another reason: He wrote').waitFor()
    await row.getByText('He wrote').waitFor()
    expect(await toast(page, 'Resolve: done').count()).toBe(0)
  })

  inBrowser('says that it is resolved by the user, and has no word for evidence that is ids only', async () => {
    await world.owner.ok('POST', `${workspace}/contacts/${world.contacts['Ada']}/suppress`, {
      scope: 'workspace',
      reason: 'complaint',
      source: 'support',
      evidence: { ticket_id: 'S-18' },
    })
    const page = await stage.signedIn('admin', { at: '/w/acme/newsletter/suppressions?search=ada' })
    const row = page.getByRole('row', { name: /ada@people/ })
    await row.getByRole('button', { name: /the evidence with its ids/ }).waitFor()
    expect(await row.innerText()).not.toContain('Evidence:')
    await row.getByRole('button', { name: 'Resolve' }).click()
    await page.getByRole('dialog').getByLabel('Why is this right?').fill('She called')
    await act(page, 'Resolve it')
    await toast(page, 'Resolve: done').waitFor()
    await row.getByText('She called').waitFor()
  })
})

describe('a colleague was faster, which says so', () => {
  const ofPlatform = '/console/api/platform'

  inBrowser('with an alert and with a platform suppression', async () => {
    await world.owner.ok('POST', `${workspace}/contacts/${world.contacts['Grace']}/suppress`, {
      scope: 'platform',
      reason: 'legal',
    })
    const query = (text: string) => stage.services.stage.query<{ id: string }>(text)
    const [suppression] = await query(`select id from contacts.platform_suppressions where resolved_at is null`)
    const alert = await until(async () => (await query('select id from identity.alerts'))[0])
    const page = await stage.signedIn('owner', { at: '/platform/alerts' })
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    await page.getByRole('dialog').getByText('Other operators see your name').waitFor()
    const platform = await stage.services.inBrowser('platform')
    await platform.ok('POST', `${ofPlatform}/alerts/${alert.id}/acknowledge`, {})
    await act(page, 'Acknowledge')
    await toast(page, 'platform acknowledged it before').waitFor()
    expect(await toast(page, 'Acknowledge: done').count()).toBe(0)

    await page.goto(`${stage.services.baseUrl}/console/platform/suppressions`)
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Why is this right?').fill('The court said so')
    await platform.ok('POST', `${ofPlatform}/suppressions/${suppression!.id}/resolve`, { resolution_reason: 'Asked' })
    await act(page, 'Resolve it')
    await toast(page, 'platform resolved it before. The record keeps that reason, and not yours').waitFor()
    expect(await toast(page, 'Resolve: done').count()).toBe(0)
  })

  inBrowser('with a dead letter, unless the reason is the same', async () => {
    const platform = await stage.services.inBrowser('platform')
    const page = await stage.signedIn('owner', { at: '/platform/dead-letters' })
    for (const [reason, said] of [
      ['Too old', 'Somebody discarded it before, with another reason: Too old'],
      ['It was repaired by hand', 'Discard: done'],
    ] as const) {
      const { id } = await addDeadLetter(stage.services, 'campaigns', 'thing_lost')
      await page.reload()
      await page.getByRole('button', { name: 'Discard', exact: true }).click()
      await page.getByRole('dialog').getByLabel('Why is this right?').fill('It was repaired by hand')
      await platform.ok('POST', `${ofPlatform}/dead-letters/campaigns-delivery/${id}/discard`, { reason })
      await act(page, 'Discard it')
      await toast(page, said).waitFor()
    }
  })
})

inBrowser('a chip of sending says that the other gates are not read yet', async () => {
  const page = await stage.signedIn('owner')
  const { held, release } = await holdAnswer(page, '**/platform/gates')
  await page.reload()
  await held
  await page.getByRole('button', { name: /^Sending off …/ }).click()
  const notRead = page.getByRole('dialog').getByText('The other gates are not read yet')
  await notRead.waitFor()
  release()
  await notRead.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Sending off, \d gates? closed/ }).waitFor()
})

inBrowser('what was said to a user is not shown to the next one', async () => {
  const page = await stage.signedIn('owner')
  await page.route('**/console/auth/sign-out', (route) => route.fulfill({ status: 503 }))
  await page.getByRole('button', { name: /^owner: colors/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await toast(page, 'You are still signed in').waitFor()
  const other = await page.context().newPage()
  await other.goto(`${stage.services.baseUrl}/console/auth/sign-in`)
  await other.locator('button[value="platform"], input[value="platform"]').click()
  await other.getByRole('button', { name: /^platform: colors/ }).waitFor()
  await other.close()
  await page.getByRole('link', { name: 'Contacts', exact: true }).click()
  await page.getByRole('button', { name: /^platform: colors/ }).waitFor()
  await toast(page, 'You are still signed in').waitFor({ state: 'detached' })
})
