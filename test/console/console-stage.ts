import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core'
import { openConstellation, type Constellation } from '@lettergate/e2e/constellation'
import { buildConsole } from './build-console.ts'
import { chromiumPath } from './chromium.ts'

/** All services, and a browser in front of them. */
export interface ConsoleStage {
  services: Constellation
  /** A new browser profile. */
  visit(options?: BrowserContextOptions): Promise<Page>
  /**
   * A new browser profile whose user signed in by clicking through the wallet, now or, while that session lasts, in an earlier
   * profile. `at` is a page of the console, which is opened instead of the first one.
   */
  signedIn(who: string, options?: BrowserContextOptions & { at?: string }): Promise<Page>
  /** What browsers reported so far: exceptions of pages, and violations of the content security policy. */
  problems: readonly string[]
  close(): Promise<void>
}

const profiles = new Set<BrowserContext>()

/** Closes every browser profile with its pages. An open page asks for news and is drawn for ever, also behind later tests. */
export async function closeProfiles(): Promise<void> {
  await Promise.all([...profiles].map((profile) => profile.close()))
  profiles.clear()
}

/** Builds the pages if they changed, and starts all services in front of them. */
export async function openConsoleStage(env: Record<string, string> = {}): Promise<ConsoleStage> {
  const services = await openConstellation({ CONSOLE_DIRECTORY: await buildConsole(), ...env })
  const browser: Browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] })
  const problems: string[] = []
  const sessions = new Map<string, BrowserContextOptions>()

  async function visit(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    profiles.add(context)
    context.setDefaultTimeout(120_000) // other tests run beside this one
    const page = await context.newPage()
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) problems.push(message.text())
    })
    return page
  }

  return {
    services,
    visit,
    problems,
    async signedIn(who, { at = '', ...options } = {}) {
      const page = await visit({ ...options, ...sessions.get(who) })
      await page.goto(`${services.baseUrl}/console${at}`)
      const signIn = page.getByRole('button', { name: 'Sign in' })
      await signIn.or(menuOf(page, who)).waitFor()
      if (await signIn.isVisible()) {
        await chooseUser(page, who)
        sessions.set(who, { storageState: await page.context().storageState() })
      }
      return page
    },
    async close() {
      profiles.clear()
      await browser.close()
      await services.close()
    },
  }
}

/** From the sign-in page of the console through the wallet and back. */
export async function chooseUser(page: Page, who: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator(`button[value="${who}"], input[value="${who}"]`).click()
  await menuOf(page, who).waitFor()
}

/** From the sign-in in front of a page whose session ended, in another tab, and back to the page. */
export async function signInAgain(page: Page, who: string): Promise<void> {
  const opened = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Sign in in a new tab' }).click()
  const tab = await opened
  await tab.locator(`button[value="${who}"], input[value="${who}"]`).click()
  await menuOf(tab, who).waitFor()
  await tab.close()
  await comeBack(page)
}

/** What a browser tells a tab to which the user comes back. */
export const comeBack = (page: Page) =>
  page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)

const menuOf = (page: Page, who: string) => page.getByRole('button', { name: new RegExp(`^${who}: colors`) })

/** By how many pixels the page is wider than its window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Whether nobody has to scroll sideways to see all of it. */
export async function isInSight(page: Page, part: Locator): Promise<boolean> {
  const box = await part.boundingBox()
  return box !== null && box.x >= 0 && box.x + box.width <= page.viewportSize()!.width
}

/** Keeps back the first answer; the service has given it when `held` is settled. */
export async function holdAnswer(page: Page, url: string): Promise<{ held: Promise<void>; release: () => void }> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const keepBack = async (route: Route) => {
    const response = await route.fetch()
    held.resolve()
    await released.promise
    await route.fulfill({ response })
  }
  await page.route(url, keepBack, { times: 1 })
  return { held: held.promise, release: released.resolve }
}

/** Opens a page whose first answer is kept back. An empty page is opened before, so that none of the page before is kept. */
export async function openHeld(page: Page, address: string, url: string): Promise<{ release: () => void }> {
  await page.goto('about:blank')
  const { held, release } = await holdAnswer(page, url)
  await page.goto(address)
  await held
  return { release }
}

/** Confirms the open dialog, which closes after the success. */
export async function act(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/** Chooses an option of a list. */
export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option }).click()
}

/** The input of the palette, after what is typed while it opens went into it. Until then two inputs have its label. */
export async function paletteOf(page: Page): Promise<Locator> {
  await page.locator('.early-input').waitFor({ state: 'detached' })
  return page.getByLabel('Go to a page')
}

/** Opens the palette by the keyboard. */
export async function openPalette(page: Page): Promise<Locator> {
  await page.keyboard.press('Control+k')
  return paletteOf(page)
}

/** The value of an input for a local time, in the zone of the browser. */
export const localTime = (page: Page, inMs: number): Promise<string> =>
  page.evaluate<string>(
    `new Date(Date.now() + ${inMs} - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)`,
  )
