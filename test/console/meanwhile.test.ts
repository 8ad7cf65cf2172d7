import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { addSource } from './add-source.ts'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { openWorld } from './world.ts'

let stage: ConsoleStage
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage()
  await openWorld(stage.services)
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
