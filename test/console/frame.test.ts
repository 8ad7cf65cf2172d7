// This file has over 300 lines because its tests share one started set of services.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import { hasChromium, inBrowser } from './browser.ts'
import {
  act,
  chooseUser,
  openConsoleStage,
  openPalette,
  overflowOf,
  paletteOf,
  type ConsoleStage,
} from './console-stage.ts'
import { setGate } from './world.ts'

let stage: ConsoleStage

/** The program that the campaign webhook posts to. */
let receiverUrl: string
let status = 200
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(status).end())
})
beforeAll(async () => {
  if (!hasChromium) return
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  stage = await openConsoleStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
})
afterAll(async () => {
  await stage?.close()
  receiver.closeAllConnections()
  receiver.close()
})

/** The relative luminance of a color of `getComputedStyle`, as WCAG calculates it. */
const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = color
    .match(/[\d.]+/g)!
    .map((part) => Number(part) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe('the console', () => {
  inBrowser('signs in through the wallet, shows the role and the gates, and changes the workspace', async () => {
    await setGate(stage.services, 'automation_enabled', false)
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.getByText('No campaign has run yet').waitFor()
    const steps = page.getByRole('region', { name: 'To the first campaign' })
    await steps.getByRole('link', { name: 'Create an audience' }).waitFor()
    await page.getByRole('button', { name: /^owner What/ }).waitFor()
    await page.getByRole('button', { name: /^Sending off/ }).click()
    await page.getByText('The platform gate for production sending is closed').waitFor()
    await page.getByText('No automation makes a step, and triggers that fire are lost.').waitFor()
    await page.getByRole('link', { name: 'Open or close gates' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change the workspace' }).click()
    await page.getByRole('menuitem', { name: /acme\/product/ }).click()
    await page.waitForURL('**/console/w/acme/product')
    await page.reload()
    await page.getByRole('button', { name: 'Change the workspace' }).getByText('acme/product').waitFor()
  })

  inBrowser('goes to pages, workspaces and contacts by the keyboard, and lists the shortcuts', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    const palette = page.getByLabel('Go to a page')
    const loaded = Promise.withResolvers<void>()
    await page.route(/\/assets\/palette-[^/]*\.js$/, async (route) => {
      await loaded.promise
      await route.continue()
    })
    // What is typed before the palette is loaded, and while it opens, is all in it.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('plat')
    loaded.resolve()
    await page.keyboard.type('form suppr')
    await page.getByText('Platform suppressions', { exact: true }).last().waitFor()
    await page.locator('.early-input').waitFor({ state: 'detached' })
    expect(await palette.inputValue()).toBe('platform suppr')
    await page.keyboard.type('essions')
    expect(await palette.inputValue()).toBe('platform suppressions')
    await palette.fill('suppr')
    await page.getByText('Platform suppressions', { exact: true }).last().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Suppressions' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('ada')
    await page.waitForURL('**/suppressions?search=ada')

    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Shift+?')
    await page.getByRole('dialog').getByText('Filter the list of the page').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Go to/ }).click()
    await paletteOf(page).then((input) => input.fill('grace'))
    await page.getByText('in contacts').click()
    await page.waitForURL('**/contacts?search=grace')
    await openPalette(page)
    await palette.fill('globex')
    await page.getByText('in contacts').waitFor()
    await palette.fill('acme/product')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/console/w/acme/product')
  })

  inBrowser('goes to the first page when all was typed before the palette was loaded', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter' })
    const loaded = Promise.withResolvers<void>()
    await page.route(/\/assets\/palette-[^/]*\.js$/, async (route) => {
      await loaded.promise
      await route.continue()
    })
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('webho')
    loaded.resolve()
    await page.locator('.early-input').waitFor({ state: 'detached' })
    await page.getByRole('dialog').getByText('Campaign webhook').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Campaign webhook' }).waitFor()
  })

  inBrowser('goes to the first page when Enter was pressed before the palette was loaded', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter' })
    const loaded = Promise.withResolvers<void>()
    await page.route(/\/assets\/palette-[^/]*\.js$/, async (route) => {
      await loaded.promise
      await route.continue()
    })
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('webho')
    await page.keyboard.press('Enter')
    loaded.resolve()
    await page.getByRole('heading', { level: 1, name: 'Campaign webhook' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  inBrowser('leaves every key to an open dialog', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/tags' })
    await page.getByRole('button', { name: 'Register a tag' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('halfway')
    await page.keyboard.press('Control+k')
    await dialog.getByRole('button', { name: 'Leave it as it is' }).focus()
    for (const key of ['Control+k', 'Shift+?', '/']) await page.keyboard.press(key)
    expect(await dialog.count()).toBe(1)
    expect(await dialog.getByLabel('Name').inputValue()).toBe('halfway')
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Shift+?')
    await dialog.getByText('Filter the list of the page').waitFor()
  })

  inBrowser('lists where the user is signed in, and ends the session of another browser', async () => {
    const other = await stage.signedIn('admin')
    const page = await stage.visit()
    await page.goto(`${stage.services.baseUrl}/console`)
    await chooseUser(page, 'admin')
    await page.getByRole('button', { name: /^admin: colors/ }).click()
    await page.getByRole('menuitem', { name: 'Profile and sessions' }).click()
    const sessions = page.getByRole('table', { name: 'Sessions' })
    await sessions.getByRole('row', { name: /This one/ }).waitFor()
    await sessions.getByRole('button', { name: 'End it' }).click()
    await act(page, 'End it')
    await sessions.getByRole('button', { name: 'End it' }).waitFor({ state: 'detached' })
    await other.reload()
    await other.getByText('your session has ended').waitFor()
    await page.reload()
    await sessions.getByRole('row', { name: /This one/ }).waitFor()
  })

  inBrowser('explains a state to the keyboard and to a tap', async () => {
    const page = await stage.signedIn('platform', { hasTouch: true })
    await page.getByRole('link', { name: 'Gates' }).last().click()
    const state = page.getByRole('region', { name: 'Automations' }).locator('[data-means]').first()
    const tooltip = page.getByRole('tooltip')
    await state.waitFor()
    await page.getByRole('heading', { level: 1 }).click()
    for (let left = 40; left > 0 && (await tooltip.count()) === 0; left -= 1) await page.keyboard.press('Tab')
    await tooltip.waitFor()
    const described = page.locator('main [aria-describedby=meaning]')
    expect(await page.locator('#meaning').textContent()).toBe(await described.getAttribute('data-means'))
    await page.keyboard.press('Escape')
    await tooltip.waitFor({ state: 'detached' })
    await state.tap()
    await tooltip.getByText(await state.getAttribute('data-means').then(String)).waitFor()
    await page.getByRole('heading', { level: 1 }).tap()
    await tooltip.waitFor({ state: 'detached' })
  })

  inBrowser('opens and closes a gate after it says what follows', async () => {
    const page = await stage.signedIn('platform')
    await page.getByText('You belong to no workspace').waitFor()
    await page.getByRole('link', { name: 'Gates' }).last().click()
    const gate = page.getByRole('region', { name: 'Production sending' })
    const header = page.getByRole('banner')
    await header.getByRole('button', { name: /^Gate closed/ }).waitFor()
    await header.getByRole('button', { name: /^platform admin/ }).click()
    await page.getByText('Your role on the platform').waitFor()
    await page.keyboard.press('Escape')
    await gate.getByText('The environment allows it').waitFor()
    await gate.getByRole('button', { name: 'Open' }).click()
    await page.getByText('This holds for every workspace of the platform').waitFor()
    await page.getByRole('button', { name: 'Open the gate' }).click()
    await gate.getByText('By platform').waitFor()
    const isOpen = async () => {
      const answer = await page.request.get(`${stage.services.baseUrl}/console/api/platform/gates`)
      const { gates } = (await answer.json()) as { gates: { name: string; effective: boolean }[] }
      return gates.find(({ name }) => name === 'production_sending_enabled')!.effective
    }
    expect(await isOpen()).toBe(true)
    await gate.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('dialog').getByText('This holds for every workspace of the platform').waitFor()
    await act(page, 'Close the gate')
    await gate.getByText('Switch: closed.').waitFor()
    expect(await isOpen()).toBe(false)
  })

  inBrowser(
    'goes from an alert to its runbook and from there to another one, and acknowledges the alert after a dialog',
    async () => {
      const [{ id } = { id: '' }] = await stage.services.stage.query<{ id: string }>(
        `select id from identity.workspaces where slug = 'product'`,
      )
      await stage.services.stage.publish(
        'campaigns-delivery',
        AlertRaisedSchema,
        { code: 'run_overdue', severity: 'warning', summary: 'A run starts late.', detail: {} },
        { workspaceId: id },
      )
      const page = await stage.signedIn('owner')
      await page.getByRole('link', { name: 'Alerts' }).click()
      const row = page.getByRole('row', { name: /A run starts late/ })
      await until(async () => {
        await page.reload()
        return row.waitFor({ timeout: 5_000 }).then(
          () => true,
          () => false,
        )
      })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width: 375, height: 800 })
        await row.getByRole('link', { name: 'Runbook of run_overdue' }).waitFor()
        await row.getByRole('button', { name: 'Acknowledge' }).click()
        const dialog = page.getByRole('dialog', { name: 'Acknowledge the alert?' })
        await dialog.getByText('It says that you look after “A run starts late.” in acme/product.').waitFor()
        await dialog.getByRole('link', { name: 'Runbook of run_overdue' }).waitFor()
        expect(await overflowOf(page)).toBe(0)
        await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
        await dialog.waitFor({ state: 'detached' })
      }
      await row.getByRole('link', { name: 'Runbook of run_overdue' }).click()
      await page.getByRole('heading', { level: 1, name: 'Alert: run_overdue' }).waitFor()
      await page.getByText('The alert ends by itself when a person resumes or cancels the run.').waitFor()
      await page.getByRole('link', { name: 'See all runbooks' }).click()
      const listed = page.getByRole('listitem').filter({ hasText: 'provider_credential_refused' })
      await listed.getByText('The mail provider answered 401 or 402 to a hand-off.').waitFor()
      await listed.getByRole('link', { name: 'Provider credential refused', exact: true }).click()
      await page.getByText('see key rotation (docs/flows/key-rotation.md)').waitFor()
      await page.getByRole('main').getByRole('link', { name: 'provider_domain_refused' }).click()
      await page.getByRole('heading', { level: 1, name: 'Alert: provider_domain_refused' }).waitFor()
      await page.goBack()
      await page.goBack()
      await page.goBack()
      await page.goBack()
      await row.getByRole('button', { name: 'Acknowledge' }).click()
      await act(page, 'Acknowledge')
      await row.waitFor({ state: 'detached' })
      await page.getByText('All', { exact: true }).click()
      await row.getByText(/^owner/).waitFor()
      expect(page.url()).toContain('show=all')
    },
  )

  inBrowser(
    'says nothing about local users where they are not, and takes an address with a slash at its end',
    async () => {
      const page = await stage.visit()
      await page.goto(`${stage.services.baseUrl}/console/`)
      await page.getByRole('button', { name: 'Sign in' }).waitFor()
      expect(new URL(page.url()).pathname).toBe('/console')
      expect(await page.getByText('asks for no password').count()).toBe(0)
    },
  )

  inBrowser('leads back from a workspace of others', async () => {
    const page = await stage.signedIn('analyst', { at: '/w/globex/main/' })
    await page.getByRole('heading', { level: 1, name: 'globex/main' }).waitFor()
    await page.getByRole('link', { name: 'Go to one of your workspaces' }).click()
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    const platform = await stage.signedIn('platform', { at: '/w/globex/main/' })
    await platform.getByRole('link', { name: 'Go to the start page' }).click()
    await platform.getByRole('heading', { level: 1, name: 'You belong to no workspace' }).waitFor()
  })

  inBrowser('asks for a sign-in if the session has ended before a download', async () => {
    const page = await stage.signedIn('platform', { at: '/platform/audit-log' })
    const download = page.getByRole('link', { name: 'Export as JSON Lines' })
    await download.waitFor()
    await page.context().clearCookies()
    await download.click()
    await page.getByRole('link', { name: 'Sign in in a new tab' }).waitFor()
  })

  inBrowser('says why a download is refused', async () => {
    const page = await stage.signedIn('platform', { at: '/platform/audit-log?workspace=acme%2Fnone' })
    const reason = 'There is no workspace of that slug in that organization.'
    await page.getByRole('main').getByText(reason).waitFor()
    await page.getByRole('link', { name: 'Export as JSON Lines' }).click()
    const said = page.locator('.toasts')
    await said.getByText('The file was not downloaded').waitFor()
    await said.getByText(reason).waitFor()
  })

  inBrowser('calls a filter of the audit log as the page does when it is refused', async () => {
    const page = await stage.signedIn('platform', { at: `/platform/audit-log?subject_id=${'x'.repeat(1_000)}` })
    await page.getByRole('main').getByRole('alert').getByText('Object id must').waitFor()
    await page.getByRole('link', { name: 'Export as JSON Lines' }).click()
    await page.locator('.toasts').getByText('Object id must').waitFor()
  })

  inBrowser('says on a page of the platform who sees it, and asks for nothing that the service refuses', async () => {
    const page = await stage.signedIn('analyst')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    expect(await page.getByRole('link', { name: 'Gates' }).count()).toBe(0)
    const refused: string[] = []
    page.on('response', (response) => response.status() === 403 && refused.push(response.url()))
    for (const title of ['Gates', 'Audit log']) {
      await page.goto(`${stage.services.baseUrl}/console/platform/${title.toLowerCase().replace(' ', '-')}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByText('Owners and administrators of the platform see this page.').waitFor()
    }
    expect(refused).toEqual([])
  })

  inBrowser('has its navigation at an address without a page', async () => {
    const page = await stage.signedIn('analyst')
    for (const path of ['/w/acme', '/nothing', '/w/acme/newsletter/contacts/1/2/3/4']) {
      await page.goto(`${stage.services.baseUrl}/console${path}`)
      await page.getByRole('heading', { level: 1, name: 'There is no page at this address' }).waitFor()
      await page.getByRole('link', { name: 'Campaigns' }).waitFor()
    }
  })

  inBrowser('marks what it reads again while nobody uses the page', async () => {
    const page = await stage.signedIn('owner')
    await page.clock.install()
    await page.reload()
    await page.getByText('No campaign has run yet').waitFor()
    const isMarked = async (later: number) => {
      const next = page.waitForRequest((request) => request.url().endsWith('/api/v1/workspaces'))
      await page.clock.fastForward(later)
      return (await (await next).allHeaders())['x-background-request'] === 'true'
    }
    expect(await isMarked(20_000)).toBe(false)
    expect(await isMarked(120_000)).toBe(true)
    await page.keyboard.press('Shift')
    expect(await isMarked(20_000)).toBe(false)
  })

  inBrowser('says in its chips that it does not know the role or the gate, and reads them again', async () => {
    const page = await stage.signedIn('owner')
    const header = page.getByRole('banner')
    const chips = header.getByRole('button', { name: /What does this mean/ })
    for (const [url, unknown, known] of [
      ['**/healthz', 'Sending unknown', ['owner', 'Sending unknown']],
      ['**/api/v1/workspaces', 'Role unknown', ['Role unknown', 'Sending unknown']],
      ['**/platform/gates', 'Other gates unknown', ['owner', 'Other gates unknown', 'Sending off']],
    ] as const) {
      await page.route(url, (route) => route.fulfill({ status: 500 }))
      await page.reload()
      const chip = header.getByRole('button', { name: new RegExp(`^${unknown}`) })
      await chip.waitFor()
      for (const text of known) await chips.filter({ hasText: new RegExp(`^${text}`) }).waitFor()
      const texts = await header.locator('.mantine-Badge-root').allInnerTexts()
      expect(texts.map((text) => text.replace(/, .*/, ''))).toEqual(known)
      await chip.click()
      // The button goes when the answer is there, and the page asks by itself too: it must be pressed before.
      await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click()
      await page.unroute(url)
      await chip.waitFor({ state: 'detached' })
      await header.getByRole('button', { name: /^owner What/ }).waitFor()
      await header.getByRole('button', { name: /^Sending off/ }).waitFor()
      expect(await chips.count()).toBe(2)
    }
    const platform = await stage.signedIn('platform')
    await platform.route('**/healthz', (route) => route.fulfill({ status: 500 }))
    await platform.reload()
    await platform.getByRole('button', { name: /^Gate unknown/ }).waitFor()
  })

  inBrowser('draws the chips of the role and of sending with contrast, in both color schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.signedIn('owner', { colorScheme })
      await page.locator('header .mantine-Badge-root').nth(1).waitFor()
      const chips = await page.evaluate<{ back: string; text: string; dot: string }[]>(
        `[...document.querySelectorAll('header .mantine-Badge-root')].map((chip) => ({
           back: getComputedStyle(chip).backgroundColor,
           text: getComputedStyle(chip).color,
           dot: getComputedStyle(chip, '::before').backgroundColor,
         }))`,
      )
      for (const { back, text, dot } of chips) {
        expect(contrast(text, back)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(dot, back)).toBeGreaterThanOrEqual(3)
      }
    }
  })

  inBrowser('fits a telephone in both color schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.signedIn('owner', { viewport: { width: 375, height: 700 }, colorScheme })
      for (const path of ['', '/platform/gates', '/platform/alerts']) {
        await page.goto(`${stage.services.baseUrl}/console${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect([path, await overflowOf(page)]).toEqual([path, 0])
      }
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(colorScheme)
    }
  })

  inBrowser(
    'paints before any answer of the service arrives, from a page, its style and the scripts it names',
    async () => {
      const page = await stage.signedIn('owner')
      await page.getByText('No campaign has run yet').waitFor()
      const answer = Promise.withResolvers<void>()
      await page.route('**/api/**', async (route) => {
        await answer.promise
        await route.fallback()
      })
      const requests: string[] = []
      page.on('request', (request) => requests.push(new URL(request.url()).pathname))
      await page.reload({ waitUntil: 'commit' })
      await page.getByText('The console is loading').waitFor()
      const painted = `performance.getEntriesByName('first-contentful-paint').length`
      await until(async () => (await page.evaluate(painted)) === 1)
      const named = await page.evaluate<string[]>(
        `[...document.querySelectorAll('script[src], link[rel=stylesheet], link[rel=modulepreload]')].map((element) => new URL(element.src ?? element.href).pathname)`,
      )
      expect(
        requests.filter((path) => path.startsWith('/console/assets/') && /(js|css)$/.test(path)).toSorted(),
      ).toEqual(named.toSorted())
      answer.resolve()
      await page.getByText('No campaign has run yet').waitFor()
    },
  )

  inBrowser('loads less than 250 kB for its first page', async () => {
    const page = await stage.signedIn('owner')
    await page.getByText('No campaign has run yet').waitFor()
    const bytes = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/assets/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(250_000)
  })
})

describe('the page of the campaign webhook', () => {
  inBrowser('set the URL, show each secret once, post tests, and remove it', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    await page.getByText('Nothing was posted yet').waitFor()
    await page.getByText('Set the URL of your program first').waitFor()
    await page.getByRole('button', { name: 'Set the URL' }).click()
    await page.getByRole('dialog').getByText('unless the deployment sets CAMPAIGN_WEBHOOK_ALLOW_PRIVATE').waitFor()
    await page.getByRole('dialog').getByLabel('URL').fill(receiverUrl)
    await act(page, 'Set it')
    const first = await page.getByText(/^whsec_/).textContent()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(await page.getByText(/whsec_/).count()).toBe(0)

    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await act(page, 'Post it')
    const deliveries = page.getByRole('table', { name: 'Deliveries' })
    await deliveries.getByRole('row', { name: /Delivered 1 attempt; status 200/ }).waitFor()
    status = 500
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await act(page, 'Post it')
    await deliveries.getByRole('row', { name: /Failed 1 attempt; Status 500/ }).waitFor()

    await page.getByRole('button', { name: 'Turn on' }).click()
    await act(page, 'Turn them on')
    await page.getByText('Posted, beside the events of runs').waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await act(page, 'Turn them off')
    await page.getByText('Not posted').waitFor()

    await page.getByRole('button', { name: 'New secret' }).click()
    await act(page, 'Make it')
    const second = await page.getByText(/^whsec_/).textContent()
    expect(second).not.toBe(first)
    await page.reload()
    await page.getByRole('button', { name: 'Remove' }).waitFor()
    expect(await page.getByText(/whsec_/).count()).toBe(0)
    await page.getByRole('button', { name: 'Remove' }).click()
    await act(page, 'Remove it')
    await page.getByText('not set').first().waitFor()
  })

  inBrowser('is for an analyst to read', async () => {
    const page = await stage.signedIn('analyst')
    await page.getByRole('link', { name: 'Campaign webhook' }).click()
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Campaign webhook test').first().waitFor()
    expect(await page.getByRole('button', { name: 'Set the URL' }).count()).toBe(0)
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
