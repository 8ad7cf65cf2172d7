import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, comeBack, holdAnswer, openConsoleStage, signInAgain, type ConsoleStage } from './console-stage.ts'
import { addDeadLetter, openSettings, openWorld } from './world.ts'

let stage: ConsoleStage
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  await openWorld(stage.services)
})
afterAll(async () => {
  await stage?.close()
})

const at = (page: Page, path: string) => page.goto(`${stage.services.baseUrl}/console${path}`)
const ofWorkspace = '/w/acme/newsletter'

/** Waits until an element has the focus. */
const hasFocus = (page: Page, element: Locator) => element.and(page.locator(':focus')).waitFor({ timeout: 30_000 })

/** Opens a dialog by the keyboard, closes it with Escape, and looks whether its button has the focus again. */
async function opensAndCloses(page: Page, button: Locator): Promise<void> {
  await button.focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=dialog] :focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hasFocus(page, button)
}

/** Ends the session at the service; the page hears nothing of it. */
async function endSession(page: Page): Promise<void> {
  const { baseUrl } = stage.services
  const { csrf_token } = (await (await page.request.get(`${baseUrl}/api/v1/me`)).json()) as { csrf_token: string }
  const headers = { 'x-csrf-token': csrf_token }
  expect((await page.request.post(`${baseUrl}/console/auth/sign-out`, { headers })).ok()).toBe(true)
}

describe('the focus of the console', () => {
  inBrowser('stays in the sign-in while it covers a dialog, which no key closes', async () => {
    const page = await stage.signedIn('owner')
    await at(page, `${ofWorkspace}/tags`)
    await page.getByRole('button', { name: 'Register a tag' }).click()
    const dialog = page.locator('[role=dialog]')
    const name = dialog.getByLabel('Name')
    await name.fill('typed before')
    await page.context().clearCookies({ name: 'session' })
    await comeBack(page)
    const link = page.getByRole('link', { name: 'Sign in in a new tab' })
    await hasFocus(page, link)
    for (const key of ['Escape', 'Tab', 'Escape', 'Shift+Tab', 'Escape', 'Shift+?', 'Control+k', '/', 'Escape']) {
      await page.keyboard.press(key)
      await hasFocus(page, link)
    }
    await page.getByText('your session has ended').click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await hasFocus(page, link)
    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Enter')
    await (await opened).close()
    await signInAgain(page, 'owner')
    await dialog.waitFor()
    expect([await dialog.count(), await name.inputValue()]).toEqual([1, 'typed before'])
    await hasFocus(page, name)
    page.once('dialog', (question) => void question.accept())
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await hasFocus(page, page.getByRole('button', { name: 'Register a tag' }))
  })

  inBrowser('comes back to the dialog whose submit found that the session ended', async () => {
    const page = await stage.signedIn('owner')
    for (const [path, button, input] of [
      ['/tags', 'Register a tag', 'Name'],
      ['/audiences', 'Create an audience', 'Name'],
      ['/tags', 'Rename', 'New name'],
    ] as const) {
      await at(page, ofWorkspace + path)
      await page.getByRole('button', { name: button }).first().click()
      const dialog = page.locator('[role=dialog]')
      const field = dialog.getByLabel(input).first()
      await field.fill('typed before')
      if (button === 'Create an audience') await dialog.getByLabel('Purpose').fill('A reason')
      await endSession(page)
      await field.press('Enter')
      await hasFocus(page, page.getByRole('link', { name: 'Sign in in a new tab' }))
      await page.keyboard.press('Escape')
      await signInAgain(page, 'owner')
      await field.waitFor()
      expect([await dialog.count(), await field.inputValue()]).toEqual([1, 'typed before'])
      page.once('dialog', (question) => void question.accept())
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
  })

  inBrowser('is on the button of a dialog again after it was closed', async () => {
    await addDeadLetter(stage.services, 'contacts', 'thing.closed')
    const page = await stage.signedIn('owner')
    for (const [path, button] of [
      [`${ofWorkspace}/tags`, 'Register a tag'],
      [`${ofWorkspace}/tags`, 'Rename'],
      [`${ofWorkspace}/testing`, 'Rehearse the capacity'],
      ['/platform/gates', 'Open'],
      ['/platform/dead-letters', /^See /],
      ['/platform/audit-log', /^See /],
    ] as const) {
      await at(page, path)
      await opensAndCloses(page, page.getByRole('main').getByRole('button', { name: button }).first())
    }
  })

  inBrowser('is on the button again after the dialog changed something, or was left', async () => {
    const page = await stage.signedIn('owner')
    await at(page, `${ofWorkspace}/tags`)
    const register = page.getByRole('button', { name: 'Register a tag' })
    await register.click()
    await page.getByRole('button', { name: 'Leave it as it is' }).click()
    await hasFocus(page, register)
    await register.click()
    await page.getByRole('dialog').getByLabel('Name').fill('focused')
    await act(page, 'Register it')
    await page.getByRole('row', { name: /^focused/ }).waitFor()
    await hasFocus(page, register)
  })

  inBrowser('stays on the button of a dialog whose change failed', async () => {
    const page = await stage.signedIn('owner')
    await at(page, `${ofWorkspace}/tags`)
    await page.getByRole('button', { name: 'Register a tag' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('x'.repeat(1_000))
    const button = dialog.getByRole('button', { name: 'Register it' })
    const { held, release } = await holdAnswer(page, '**/tags')
    await button.press('Enter')
    await held
    await page.waitForFunction('document.activeElement === document.body')
    expect(await button.isDisabled()).toBe(true)
    release()
    await dialog.getByRole('alert').waitFor()
    await hasFocus(page, button)
  })

  inBrowser('is on the title of the page when the dialog removed its button, or went to another page', async () => {
    const { subjectId } = await addDeadLetter(stage.services, 'contacts', 'thing.discarded')
    expect(subjectId).not.toBe('')
    const page = await stage.signedIn('owner')
    await at(page, '/platform/dead-letters')
    await page.getByRole('button', { name: 'Discard' }).first().click()
    await page.getByRole('dialog').getByLabel('Why is this right?').fill('A test')
    await act(page, 'Discard it')
    await page.getByText('A test').waitFor()
    await hasFocus(page, page.getByRole('heading', { level: 1, name: 'Dead letters' }))

    await at(page, `${ofWorkspace}/templates`)
    await page.getByRole('button', { name: 'Create a template' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Focused template')
    await act(page, 'Create it')
    await hasFocus(page, page.getByRole('heading', { level: 1, name: 'Focused template' }))
  })

  inBrowser('is where it was after the palette and the list of shortcuts', async () => {
    const page = await stage.signedIn('owner')
    await at(page, `${ofWorkspace}/tags`)
    const register = page.getByRole('button', { name: 'Register a tag' })
    for (const key of ['Control+k', 'Shift+?', 'Control+k', 'Shift+?']) {
      await register.focus()
      await page.keyboard.press(key)
      await page.locator('[role=dialog] :focus').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await hasFocus(page, register)
    }
    const menu = page.getByRole('button', { name: /^owner: colors/ })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Shortcuts' }).click()
    await page.locator('[role=dialog] :focus').waitFor()
    await page.keyboard.press('Escape')
    await hasFocus(page, menu)
  })

  inBrowser('is on the input of a filter whose choice was cleared by the keyboard', async () => {
    const page = await stage.signedIn('owner')
    for (const [path, label] of [
      [`${ofWorkspace}/contacts?suppressed=yes`, 'Suppressed'],
      [`${ofWorkspace}/contacts?tag=vip`, 'Tag'],
      ['/platform/audit-log?action=gate_changed', 'Action'],
    ] as const) {
      await at(page, path)
      await page.getByRole('button', { name: `Clear ${label.toLowerCase()}` }).press('Enter')
      await page.waitForURL(({ search }) => search === '')
      await hasFocus(page, page.getByRole('combobox', { name: label }))
    }
  })

  inBrowser(
    'stays on the chip, or goes to what replaces it, when the chip reads again what it does not know',
    async () => {
      const page = await stage.signedIn('owner')
      const chip = (text: string) => page.getByRole('banner').getByRole('button', { name: new RegExp(`^${text}`) })
      for (const [url, unknown, known] of [
        ['**/healthz', 'Sending unknown', 'Sending off'],
        ['**/api/v1/workspaces', 'Role unknown', 'owner'],
        ['**/platform/gates', 'Other gates unknown', 'Sending off'],
      ] as const) {
        await page.route(url, (route) => route.fulfill({ status: 500 }))
        await page.reload()
        await chip(unknown).press('Enter')
        const again = page.getByRole('dialog').getByRole('button', { name: 'Try again' })
        const refused = page.waitForResponse(url)
        await again.press('Enter')
        await refused
        await hasFocus(page, chip(unknown))
        await chip(unknown).press('Enter')
        await again.waitFor()
        // The page asks by itself too, and the button goes when the answer is there.
        await again.press('Enter')
        await page.unroute(url)
        await chip(unknown).waitFor({ state: 'detached' })
        await hasFocus(page, chip(known))
      }
    },
  )

  inBrowser('comes back to the dialog of a row far down in a long list, which is where it was', async () => {
    await stage.services.stage.query(
      `insert into contacts.tags (workspace_id, id, name)
       select id, gen_random_uuid(), 'long list ' || number
         from identity.workspaces, generate_series(1, 300) number where slug = 'newsletter'`,
    )
    const page = await stage.signedIn('owner')
    await at(page, `${ofWorkspace}/tags`)
    await page
      .getByRole('row', { name: /^long list/ })
      .first()
      .waitFor()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await page.getByRole('row', { name: /^vip/ }).getByRole('button', { name: 'Rename' }).click()
    const dialog = page.locator('[role=dialog]')
    await dialog.getByLabel('New name').fill('typed before')
    const scrolled = await page.evaluate<number>('scrollY')
    expect(scrolled).toBeGreaterThan(3_000)
    await page.context().clearCookies({ name: 'session' })
    await comeBack(page)
    await page.getByRole('link', { name: 'Sign in in a new tab' }).waitFor()
    await page.getByRole('row').first().waitFor({ state: 'hidden' })
    await page.mouse.wheel(0, -2_000)
    await signInAgain(page, 'owner')
    await dialog.waitFor({ timeout: 30_000 })
    expect(await dialog.getByLabel('New name').inputValue()).toBe('typed before')
    expect(await page.evaluate('scrollY')).toBe(scrolled)
  })

  inBrowser('makes no exception and breaks no rule of its content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
