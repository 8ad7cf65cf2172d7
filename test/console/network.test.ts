// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { addSource } from './add-source.ts'
import { until } from '@lettergate/stage'
import { hasChromium, inBrowser } from './browser.ts'
import {
  act,
  choose,
  chooseUser,
  comeBack,
  holdAnswer,
  openHeld,
  openConsoleStage,
  signInAgain,
  type ConsoleStage,
} from './console-stage.ts'
import { workspace } from './world.ts'

let stage: ConsoleStage
beforeAll(async () => {
  if (hasChromium) stage = await openConsoleStage()
})
afterAll(async () => {
  await stage?.close()
})

async function registerTag(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Register a tag' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await act(page, 'Register it')
}

/** A new session of the same browser, in another tab. The first tab hears nothing of it. */
async function newSession(page: Page, who: string): Promise<void> {
  const other = await page.context().newPage()
  await other.goto(`${stage.services.baseUrl}/console/auth/sign-in`)
  await other.locator(`button[value="${who}"], input[value="${who}"]`).click()
  await other.getByRole('button', { name: new RegExp(`^${who}: colors`) }).waitFor()
  await other.close()
}

/** Waits until an element has the focus. */
const hasFocus = (page: Page, element: Locator) => element.and(page.locator(':focus')).waitFor()

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^owner: colors/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

describe('the console, when sessions end, tabs differ and networks fail,', () => {
  inBrowser('asks for a sign-in when the session ended, and returns to the same page', async () => {
    const page = await stage.signedIn('owner', { at: '/platform/alerts?show=all' })
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await page.context().clearCookies({ name: 'session' })
    await page.getByRole('link', { name: 'Gates' }).click()
    await signInAgain(page, 'owner')
    await page.getByRole('heading', { level: 1, name: 'Gates' }).waitFor()
  })

  inBrowser('after a failed sign-in, has no token in its history, and a link back to the wanted page', async () => {
    const page = await stage.visit()
    await page.goto(`${stage.services.baseUrl}/console/platform/alerts?show=all`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const owner = page.locator('button[value="owner"]')
    await owner.waitFor()
    await page.context().clearCookies({ name: 'sign_in_state' })
    await owner.click()
    await page.getByRole('heading', { level: 1, name: 'The sign-in failed' }).waitFor()
    const devtools = await page.context().newCDPSession(page)
    const { entries } = await devtools.send('Page.getNavigationHistory')
    expect(entries.at(-1)!.url).toContain('/console/auth/failed?reason=state')
    expect(entries.map(({ url }) => url).join()).not.toMatch(/sso_token|callback\?/)
    await page.getByRole('link', { name: 'Sign in again' }).click()
    await owner.click()
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    expect(page.url()).toBe(`${stage.services.baseUrl}/console/platform/alerts?show=all`)
  })

  inBrowser('notices on the way to a page in memory that the service ended the session', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByText('There is no tag yet').waitFor()
    await page.getByRole('link', { name: 'Audiences', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
    await page.waitForLoadState('networkidle')

    // Only the question for the session gets an answer from now on: no poll, and nothing that the next page asks.
    await page.route(
      (url) => /^\/(console\/)?api\//.test(url.pathname) && url.pathname !== '/api/v1/me',
      () => undefined,
    )
    const { baseUrl } = stage.services
    const { csrf_token } = (await (await page.request.get(`${baseUrl}/api/v1/me`)).json()) as { csrf_token: string }
    const signedOut = await page.request.post(`${baseUrl}/console/auth/sign-out`, {
      headers: { 'x-csrf-token': csrf_token },
    })
    expect(signedOut.ok()).toBe(true)
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByText('your session has ended').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await signInAgain(page, 'editor')
    await page.getByRole('heading', { level: 1, name: 'Tags and fields' }).waitFor()
  })

  inBrowser('says what to do when the service does not answer', async () => {
    const page = await stage.signedIn('owner')
    await page.route('**/console/api/platform/gates', (route) => route.abort())
    await page.getByRole('link', { name: 'Gates' }).click()
    await page.getByText('No answer arrived').waitFor({ timeout: 30_000 })
    // The page asks by itself too, and the button goes when the answer is there.
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.unroute('**/console/api/platform/gates')
    await page.getByRole('region', { name: 'Production sending' }).waitFor()
  })

  inBrowser('keeps the focus on the button that tries again', async () => {
    const page = await stage.signedIn('owner')
    await page.route('**/newsletter/campaign-webhook', (route) => route.abort())
    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    const main = page.locator('main')
    await main.getByRole('button', { name: 'Try again' }).press('Enter')
    await main.getByRole('button', { name: 'Trying again…' }).waitFor()
    await main.getByRole('button', { name: 'Try again' }).and(page.locator(':focus')).waitFor()
    await page.unroute('**/newsletter/campaign-webhook')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing was posted yet').waitFor()
    await hasFocus(page, page.getByRole('heading', { level: 1, name: 'Campaign webhook' }))

    const again = main.getByRole('button', { name: 'Try again' })
    let answered = Promise.resolve()
    await page.route('**/newsletter/tags', async (route) => {
      await answered
      await route.fulfill({ status: 500 })
    })
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await again.waitFor()
    const answer = Promise.withResolvers<void>()
    answered = answer.promise
    await again.press('Enter')
    await hasFocus(page, main.getByRole('button', { name: 'Trying again…' }))
    answer.resolve()
    await hasFocus(page, again)
    await page.unroute('**/newsletter/tags')
    await page.keyboard.press('Enter')
    await hasFocus(page, page.getByRole('heading', { level: 2, name: 'Tags' }))
  })

  inBrowser(
    'says where names and choices could not be read, claims nothing about them, and reads them again',
    async () => {
      const body = { name: 'Quiet news', slug: 'quiet-news', purpose: 'news' }
      const owner = stage.services.as('owner')
      const { audience } = await owner.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, body)
      const page = await stage.signedIn('owner')
      await addSource(page, 'Website', 'Quiet news')
      await page.getByRole('button', { name: 'I have stored it' }).click()
      const main = page.locator('main')
      const url = (list: string) => new RegExp(`/console/api/.*/newsletter/${list}$`)
      const unread = async (path: string, ...of: string[]) => {
        for (const list of of) await page.route(url(list), (route) => route.fulfill({ status: 500 }))
        await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)
        await main.getByRole('button', { name: 'Try again' }).waitFor()
      }
      const read = async () => {
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await main.getByRole('button', { name: 'Try again' }).click()
        await main.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
      }

      await unread('/sources', 'audiences')
      const source = page.getByRole('row', { name: /Website/ })
      await source.getByText('–').waitFor()
      await read()
      await source.getByText('Quiet news').waitFor()
      const href = await source.getByRole('link', { name: 'Website' }).getAttribute('href')

      await unread(href!.split('/newsletter')[1]!, 'audiences')
      await main.getByText('–', { exact: true }).first().waitFor()
      expect(await main.getByText('deleted').count()).toBe(0)
      await read()
      await main.getByText('Quiet news').waitFor()

      await unread(`/contacts?audience_id=${audience.id}&tag=gone`, 'audiences', 'tags')
      expect(await page.locator('[role=combobox][value="…"]').count()).toBe(2)
      await read()
      await page.locator('[role=combobox][value="Quiet news"]').waitFor()
      await page.locator('[role=combobox][value="gone"]').waitFor()

      await unread('/imports', 'audiences')
      const choice = page.getByRole('combobox', { name: 'Audience' })
      await choice.click()
      await page.getByText('The list could not be read').waitFor()
      await read()
      await choose(page, 'Audience', 'Quiet news')

      await unread('/campaigns', 'audiences')
      await read()
      await unread('/campaigns/new', 'tags')
      await read()

      const template = await owner.ok<{ email_template: { id: string } }>('POST', `${workspace}/email-templates`, {
        name: 'Unread',
        slug: 'unread',
      })
      await unread(`/templates/${template.email_template.id}/new`, 'contact-field-definitions')
      await read()

      const ada = await owner.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
        email: 'ada@x.example',
        source: 'console',
      })
      await unread(`/contacts/${ada.contact.id}`, 'audiences', 'automations')
      await read()

      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/automations`)
      await page.route(url('audiences'), (route) => route.fulfill({ status: 500 }))
      await page.reload()
      await page.getByRole('button', { name: 'Create an automation' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Try again' }).waitFor()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await dialog.getByRole('button', { name: 'Try again' }).click()
      await choose(page, 'It begins when somebody joins', 'Quiet news')
    },
  )

  inBrowser('shows what another tab changed when the user comes back, and that it signed out', async () => {
    const page = await stage.signedIn('owner')
    const other = await page.context().newPage()
    for (const tab of [page, other]) await tab.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/tags`)
    await other.getByText('There is no tag yet').waitFor()
    await registerTag(page, 'from-this-tab')
    await page.getByRole('row', { name: /^from-this-tab/ }).waitFor()
    await comeBack(other)
    await other.getByRole('row', { name: /^from-this-tab/ }).waitFor()

    await signOut(page)
    await page.getByText('your session has ended').waitFor()
    await comeBack(other)
    await other.getByText('your session has ended').waitFor()
    await signInAgain(other, 'owner')
    await other.getByRole('heading', { level: 1, name: 'Tags and fields' }).waitFor()
  })

  inBrowser('has no secret in the page while its session is over', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/webhook' })
    await page.getByRole('button', { name: 'Set the URL' }).click()
    await page.getByRole('dialog').getByLabel('URL').fill('https://hooks.example.com/lettergate')
    await act(page, 'Set it')
    const secret = await page.getByText(/^whsec_/).textContent()
    await page.context().clearCookies({ name: 'session' })
    await comeBack(page)
    await page.getByText('your session has ended').waitFor()
    expect(await page.content()).not.toContain(secret)
    await signInAgain(page, 'owner')
    await page.getByText(secret!).waitFor()
  })

  inBrowser('asks before it signs out of a page with a secret, and shows none after the next sign-in', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/webhook' })
    const makeSecret = async () => {
      await page.getByRole('button', { name: 'New secret' }).click()
      await act(page, 'Make it')
      return (await page.getByText(/^whsec_/).textContent())!
    }
    await makeSecret()
    await page.getByRole('button', { name: 'I have stored it' }).press('Enter')
    await hasFocus(page, page.getByRole('heading', { level: 1, name: 'Campaign webhook' }))
    const secret = await makeSecret()

    const asked: string[] = []
    let mayLeave = false
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message())
      await (mayLeave ? dialog.accept() : dialog.dismiss())
    })
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/sign-out')) sent.push(request.url())
    })
    await signOut(page)
    expect(asked).toEqual(['This page shows a secret that is shown only this time. Sign out, and lose it?'])
    expect(sent).toEqual([])
    await page.getByText(secret).waitFor()
    // Nothing is lost by a sign-out that fails.
    mayLeave = true
    await page.route('**/console/auth/sign-out', (route) => route.fulfill({ status: 503 }), { times: 1 })
    await signOut(page)
    await page.getByText('You are still signed in').waitFor()
    await page.getByText(secret).waitFor()
    asked.length = 0
    // The service can be too busy for a sign-out.
    await until(async () => {
      await signOut(page)
      return page
        .getByRole('button', { name: 'Sign in' })
        .waitFor({ timeout: 20_000 })
        .then(
          () => true,
          () => false,
        )
    })
    expect(new Set(asked)).toEqual(
      new Set(['This page shows a secret that is shown only this time. Sign out, and lose it?']),
    )
    await chooseUser(page, 'owner')
    await page.getByText('Nothing was posted yet').waitFor()
    expect(await page.content()).not.toContain(secret)
  })

  inBrowser('says that it is loading on a slow network, and sends a change once', async () => {
    const page = await stage.signedIn('owner')
    const list = await holdAnswer(page, '**/newsletter/tags')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await list.held
    const loading = page.getByRole('status', { name: 'Loading' }).first()
    await loading.waitFor()
    await loading.getByText('The service has not answered yet').waitFor()
    list.release()
    await page.getByRole('row', { name: /^from-this-tab/ }).waitFor()

    const changes: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') changes.push(request.url())
    })
    const change = await holdAnswer(page, '**/newsletter/tags')
    await page.getByRole('button', { name: 'Register a tag' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('slow')
    await dialog.getByRole('button', { name: 'Register it' }).click()
    await change.held
    expect(await dialog.getByRole('button', { name: 'Register it' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Name').press('Enter')
    change.release()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^slow/ }).waitFor()
    expect(changes).toHaveLength(1)
  })

  inBrowser('keeps what was typed when a change fails, and sends it again', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('row', { name: /^slow/ }).waitFor()
    await page.route('**/newsletter/tags', (route) => route.abort())
    await page.getByRole('button', { name: 'Register a tag' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('patient')
    await dialog.getByRole('button', { name: 'Register it' }).click()
    await dialog.getByText('No answer arrived').waitFor()
    await page.unroute('**/newsletter/tags')
    await act(page, 'Register it')
    await page.getByRole('row', { name: /^patient/ }).waitFor()
  })

  inBrowser('says in a corner what was done, and with the reference that a page could not be read again', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await registerTag(page, 'told')
    const toasts = page.getByRole('status').filter({ has: page.getByRole('button', { name: 'Close this message' }) })
    await toasts.getByText('Register a tag: done').waitFor()
    await page.getByRole('row', { name: /^told/ }).waitFor()

    await page.route('**/newsletter/tags', (route) => route.abort())
    await comeBack(page)
    const failure = toasts.getByText('This page could not be read again, and may be old')
    await failure.waitFor()
    expect(await toasts.locator('code').textContent()).toMatch(/^[\w-]{8,}$/)
    await page.getByRole('row', { name: /^told/ }).waitFor()
    await page.unroute('**/newsletter/tags')
    await comeBack(page)
    await failure.waitFor({ state: 'detached' })
    await toasts.getByText('Register a tag: done').waitFor({ state: 'detached' })
  })

  inBrowser('does not say that the user signed out while the session goes on', async () => {
    const page = await stage.signedIn('owner')
    await page.route('**/console/auth/sign-out', (route) => route.fulfill({ status: 503 }))
    await signOut(page)
    await page.getByText('You are still signed in').waitFor()
    const numbers = await openHeld(page, page.url(), '**/newsletter/sending-overview')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    const delivered = page.getByRole('region', { name: 'Delivered of them' })
    await delivered.getByText('The service has not answered yet').waitFor()
    numbers.release()
    await delivered.getByText('confirmed by the provider').waitFor()
    await page.unroute('**/console/auth/sign-out')
    await signOut(page)
    await page.getByText('your session has ended').waitFor()
  })

  inBrowser('says that a change failed although its dialog was closed before the answer', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    const answer = await holdAnswer(page, '**/newsletter/tags/*')
    const row = page.getByRole('row', { name: /^patient/ })
    await row.getByRole('button', { name: 'Rename' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New name').fill('slow')
    await dialog.getByRole('button', { name: 'Rename it' }).click()
    await answer.held
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    answer.release()
    const failure = page.getByRole('status').filter({ hasText: 'Rename: not done' })
    await failure.getByRole('alert').waitFor()
    expect(await failure.locator('code').textContent()).toMatch(/^[\w-]{8,}$/)
  })

  inBrowser('sends a change again when the same user began a new session in another tab', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('after-a-new-session')
    await newSession(page, 'owner')
    await act(page, 'Register it')
    await page.getByRole('row', { name: /^after-a-new-session/ }).waitFor()
  })

  inBrowser('changes nothing, and shows nothing of the user before, when another user began a session', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('of-nobody')
    await newSession(page, 'platform')
    await page.getByRole('dialog').getByRole('button', { name: 'Register it' }).click()
    await page.getByText('Another user signed in with this browser').waitFor()
    await page.getByRole('button', { name: /^platform: colors/ }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText('There is nothing here').waitFor()
    expect(await page.getByRole('row', { name: /^patient/ }).count()).toBe(0)
    const tags = await stage.services.stage.query(`select 1 from contacts.tags where name = 'of-nobody'`)
    expect(tags).toEqual([])
  })

  inBrowser('says nothing to a user about a change of the user before', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('of-the-owner')
    const answer = await holdAnswer(page, '**/newsletter/tags')
    await page.getByRole('dialog').getByRole('button', { name: 'Register it' }).click()
    await answer.held
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await newSession(page, 'platform')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByText('There is nothing here').waitFor()
    const answered = page.waitForResponse('**/newsletter/tags')
    answer.release()
    await (await answered).finished()
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(await page.getByText('Register a tag: done').count()).toBe(0)
  })

  inBrowser('asks for a sign-in when a change finds that the session ended, and makes it after that', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('late')
    await page.context().clearCookies({ name: 'session' })
    await page.getByRole('dialog').getByRole('button', { name: 'Register it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await signInAgain(page, 'owner')
    await page.getByRole('row', { name: /^patient/ }).waitFor()
    expect(await page.getByRole('row', { name: /^late/ }).count()).toBe(0)
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
    await act(page, 'Register it')
    await page.getByRole('row', { name: /^late/ }).waitFor()
  })

  inBrowser('makes no exception and breaks no rule of its content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
