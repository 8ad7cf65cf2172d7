import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { everyPage } from './every-page.ts'
import {
  addAutomation,
  addImport,
  addMemberDays,
  addVersions,
  openSending,
  openSettings,
  openWorld,
  runCampaign,
} from './world.ts'

let stage: ConsoleStage
let pages: Record<string, string>
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  const world = await openWorld(stage.services)
  const senderId = await openSending(stage.services, world.owner)
  const runId = await runCampaign(world, senderId)
  const automationId = await addAutomation(world, senderId)
  await addVersions(world, automationId)
  await addMemberDays(stage.services, world.audienceId)
  pages = everyPage(world, { runId, automationId, importId: await addImport(stage.services, world) })
})
afterAll(async () => {
  await stage?.close()
})

async function faultsOf(page: Page, address: string) {
  await page.goto(`${stage.services.baseUrl}/console${address}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return judge(page)
}

/** What axe finds on a page, and by how many pixels it is too wide. */
async function judge(page: Page): Promise<{ violations: string[]; overflow: number }> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(axe.source)
  const violations = await page.evaluate<string[]>(
    `axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`,
  )
  return { violations, overflow: await overflowOf(page) }
}

describe('every page', () => {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 375],
  ] as const)
    inBrowser(`has no fault that axe knows and fits the window, ${colorScheme} and ${width} pixels wide`, async () => {
      const page = await stage.signedIn('owner', { viewport: { width, height: 800 }, colorScheme })
      const found: Record<string, unknown> = {}
      for (const [name, address] of Object.entries(pages)) found[name] = await faultsOf(page, address)
      await page.goto(`${stage.services.baseUrl}/console${pages['contact']}`)
      await page.getByRole('button', { name: 'Suppress' }).click()
      found['dialog'] = await judge(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('Shift+?')
      await page.getByRole('dialog').getByText('Filter the list of the page').waitFor()
      found['shortcuts'] = await judge(page)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await page.keyboard.press('Control+k')
      await page.getByLabel('Go to a page').fill('sup')
      await page.getByText('in contacts').waitFor()
      found['palette'] = await judge(page)
      await page.goto(`${stage.services.baseUrl}/console${pages['automation']}`)
      await page.getByRole('region', { name: /^Changes in version/ }).waitFor()
      found['changes of an automation'] = await judge(page)
      for (const part of ['', '#tag/sending']) {
        await page.goto('about:blank') // the part alone would not load the page again
        await page.goto(`${stage.services.baseUrl}/docs${part}`)
        await page.getByRole('heading', { name: part === '' ? 'Lettergate' : 'Sending', exact: true }).waitFor()
        found[`docs${part}`] = await judge(page)
      }
      const none = { violations: [], overflow: 0 }
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, none])))
    })
})
