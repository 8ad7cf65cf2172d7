import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { readFile } from 'node:fs/promises'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { openHeld, openConsoleStage, openPalette, overflowOf, type ConsoleStage } from './console-stage.ts'
import { openEveryPage } from './every-page.ts'
import { openSettings } from './world.ts'

let stage: ConsoleStage
let pages: Record<string, string>
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  ;({ pages } = await openEveryPage(stage.services))
})
afterAll(async () => {
  await stage?.close()
})

/** The addresses in the tables of `app.tsx`. */
async function addressesOfConsole() {
  const source = await readFile(new URL('../../services/console/src/app.tsx', import.meta.url), 'utf8')
  const [workspacePages = [], otherPages = []] = ['workspacePages', 'otherPages'].map((table) =>
    [...source.matchAll(new RegExp(`const ${table} = {(.*?)\n}`, 'gs'))].flatMap(([, body = '']) =>
      [...body.matchAll(/^  '(.+?)': lazy/gm)].map(([, path = '']) => path),
    ),
  )
  return { workspacePages, otherPages }
}

async function faultsOf(page: Page, address: string, width: number) {
  await page.goto(`${stage.services.baseUrl}/console${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const found = await judge(page)
  if (width < 1280) return found
  // Lists are the same in narrow windows; those of half the pages are seen light, of the others dark.
  return {
    ...found,
    violations: [...found.violations, ...(await violationsOfLists(page))],
    wideTables: [...found.wideTables, ...(await wideTablesBetween(page))],
  }
}

const violationsIn = (page: Page, part: string) =>
  page.evaluate<string[]>(
    `axe.run(${part}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )

/** What axe finds in each list that the page opens, with its choices and when none matches what is typed. */
async function violationsOfLists(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const input of await page.getByRole('combobox').all()) {
    if (!(await input.isVisible()) || (await input.isDisabled())) continue
    await input.click()
    await input.and(page.locator('[aria-expanded=true]')).waitFor()
    const id = await input.getAttribute('aria-controls')
    const list = page.locator(`[id="${id}"]`)
    const look = async () => {
      // One without a choice does not show, if any text can be its value.
      if (await list.isVisible())
        found.push(
          ...(await violationsIn(page, `{ include: [document.activeElement, document.getElementById('${id}')] }`)),
        )
    }
    await look()
    if (await input.isEditable()) {
      const before = await input.inputValue()
      await input.press('ArrowDown')
      await input.fill('zzzz')
      await look()
      await input.fill(before)
    }
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'hidden' })
  }
  return found
}

/** The tables of the page that somebody has to scroll sideways. */
const wideTables = (page: Page) =>
  page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('table'))
      .filter(({ parentElement }) => parentElement.closest('[tabindex]')?.scrollWidth > parentElement.closest('[tabindex]')?.clientWidth)
      .map((table) => table.getAttribute('aria-label'))`,
  )

/** The same in windows between a telephone and a screen, with the navigation beside the page. */
async function wideTablesBetween(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of [768, 900, 1024]) {
    await page.setViewportSize({ width, height: 800 })
    found.push(...(await wideTables(page)).map((table) => `${table}, ${width} pixels`))
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  return found
}

/** What axe finds on a page, by how many pixels it is too wide, and its tables that are. */
async function judge(page: Page): Promise<{ violations: string[]; overflow: number; wideTables: string[] }> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(axe.source)
  return {
    violations: await violationsIn(page, 'document'),
    overflow: await overflowOf(page),
    wideTables: await wideTables(page),
  }
}

const views = [
  ['light', 1280],
  ['dark', 375],
] as const

const nothing = { violations: [], overflow: 0, wideTables: [] }
const expectNothing = (found: Record<string, unknown>) =>
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, nothing])))

describe('every page', () => {
  // Each page is seen light and dark, narrow and wide, and its neighbour in the other two pairs.
  for (const [colorScheme, width, first] of [
    ['light', 1280, 0],
    ['light', 1280, 2],
    ['dark', 375, 0],
    ['dark', 375, 2],
    ['dark', 1280, 1],
    ['dark', 1280, 3],
    ['light', 375, 1],
    ['light', 375, 3],
  ] as const)
    inBrowser(
      `has no fault that axe knows and fits the window, ${colorScheme} and ${width} pixels wide, each fourth from number ${first}`,
      async () => {
        const page = await stage.signedIn('owner', { viewport: { width, height: 800 }, colorScheme })
        const found: Record<string, unknown> = {}
        for (const [name, address] of Object.entries(pages).filter((_, index) => index % 4 === first))
          found[name] = await faultsOf(page, address, width)
        for (const part of first === 0 ? ['', '#tag/sending'] : []) {
          await page.goto('about:blank') // the part alone would not load the page again
          await page.goto(`${stage.services.baseUrl}/docs${part}`)
          await page.getByRole('heading', { name: part === '' ? 'Lettergate' : 'Sending', exact: true }).waitFor()
          found[`docs${part}`] = await judge(page)
        }
        expectNothing(found)
      },
    )

  for (const [colorScheme, width] of views)
    inBrowser(
      `of a visitor and of a user without a workspace has no such fault either, ${colorScheme} and ${width} pixels wide`,
      async () => {
        const options = { viewport: { width, height: 800 }, colorScheme }
        const found: Record<string, unknown> = {}
        const visitor = await stage.visit(options)
        await visitor.goto(`${stage.services.baseUrl}/console`)
        await visitor.getByRole('button', { name: 'Sign in' }).waitFor()
        found['sign-in'] = await judge(visitor)
        const page = await stage.signedIn('platform', options)
        await page.getByText('You belong to no workspace').waitFor()
        found['no workspace'] = await judge(page)
        await page.goto(`${stage.services.baseUrl}/console/platform/nothing`)
        await page.getByText('There is no page at this address').waitFor()
        found['no page'] = await judge(page)
        expectNothing(found)
      },
    )

  inBrowser('has no such fault while its list is read', async () => {
    const page = await stage.signedIn('owner')
    const address = `${stage.services.baseUrl}/console${pages['contacts']}`
    const list = await openHeld(page, address, '**/newsletter/contacts?*')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    expect(await page.getByRole('table', { name: 'Contacts' }).getAttribute('aria-busy')).toBe('true')
    await page.evaluate(axe.source)
    expect(await violationsIn(page, 'document')).toEqual([])
    list.release()
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  })

  inBrowser('of the console has an address in these tests', async () => {
    const { workspacePages, otherPages } = await addressesOfConsole()
    const patterns = [...workspacePages.map((path) => `/w/[^/]+/[^/]+${path === '/' ? '' : path}`), ...otherPages]
    const seen = Object.values(pages).map((address) => address.replace(/\?.*/, ''))
    const isSeen = (pattern: string) =>
      seen.some((address) => new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(address))
    expect(patterns.filter((pattern) => !isSeen(pattern))).toEqual([])
  })
})

describe('everything that opens over a page', () => {
  for (const [colorScheme, width] of views)
    inBrowser(`has no fault that axe knows and fits the window, ${colorScheme} and ${width} pixels wide`, async () => {
      const page = await stage.signedIn('owner', { viewport: { width, height: 800 }, colorScheme })
      const found: Record<string, unknown> = {}
      const open = (name: string) => page.goto(`${stage.services.baseUrl}/console${pages[name]}`)
      const close = async () => {
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
      }
      await open('contact')
      await page.getByRole('button', { name: 'Suppress' }).click()
      found['dialog'] = await judge(page)
      await close()
      await page.keyboard.press('Shift+?')
      await page.getByRole('dialog').getByText('Filter the list of the page').waitFor()
      found['shortcuts'] = await judge(page)
      await close()
      const palette = await openPalette(page)
      await palette.waitFor()
      found['palette of every page'] = await judge(page)
      await palette.fill('sup')
      await page.getByText('in contacts').waitFor()
      found['palette'] = await judge(page)

      await open('campaign-new')
      for (const list of ['Audiences', 'Sender']) {
        await page.getByRole('combobox', { name: list }).click()
        await page.getByRole('option').first().waitFor()
        found[`open list: ${list}`] = await judge(page)
        await page.keyboard.press('Escape')
        await page.getByRole('option').first().waitFor({ state: 'detached' })
      }

      await open('unknown-run')
      await page.getByRole('button', { name: 'Send them again' }).click()
      await page.getByRole('dialog').getByLabel('Number of recipients').waitFor()
      found['dialog that sends the unknown again'] = await judge(page)
      await close()
      await page.locator('main [data-means][tabindex]').first().focus()
      await page.getByRole('tooltip').waitFor()
      found['tooltip'] = await judge(page)
      await page.keyboard.press('Escape')
      for (const chip of [/^owner What/, /^Sending on/]) {
        await page.getByRole('button', { name: chip }).click()
        await page.getByRole('dialog', { name: chip }).waitFor()
        found[`explanation of ${chip.source}`] = await judge(page)
        await close()
      }
      await page.getByRole('button', { name: /^owner: colors/ }).click()
      await page.getByRole('menuitem', { name: 'Times in UTC' }).waitFor()
      found['menu'] = await judge(page)
      await page.route('**/console/auth/sign-out', (route) => route.fulfill({ status: 503 }))
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByText('You are still signed in').waitFor()
      await page.getByRole('menu').waitFor({ state: 'detached' })
      found['toast'] = await judge(page)

      await page.getByRole('button', { name: 'Change the workspace' }).click()
      await page.getByRole('menuitem', { name: /acme\/product/ }).waitFor()
      found['workspaces'] = await judge(page)
      await page.keyboard.press('Escape')

      await open('automation')
      await page.getByRole('region', { name: /^Changes in version/ }).waitFor()
      found['changes of an automation'] = await judge(page)
      expectNothing(found)
    })
})
