import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { addImport, openWorld, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage()
  await stage.services.startWorker('imports')
  world = await openWorld(stage.services)
})
afterAll(async () => {
  await stage?.close()
})

const open = (page: Page, id: string) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/imports/${id}`)
const startDryRun = (page: Page) => page.getByRole('button', { name: 'Start the dry run' }).click()
const isReviewed = (page: Page) => page.getByText('Next: Read the report, then approve it').waitFor()

describe('the mapping form of an import', () => {
  for (const width of [375, 1280])
    inBrowser(`comes into the window with the focus when it is opened again, at ${width} px`, async () => {
      const page = await stage.signedIn('editor', { viewport: { width, height: 800 } })
      await open(page, await addImport(stage.services, world))
      const title = page.getByRole('heading', { name: 'What is each column?' })
      await title.waitFor()
      expect(await title.and(page.locator(':focus')).count()).toBe(0)
      await startDryRun(page)
      await isReviewed(page)
      await page.getByRole('button', { name: 'Map the columns again' }).click()
      await title.and(page.locator(':focus')).waitFor()
      const header = await page.locator('header').boundingBox()
      const { y } = (await title.boundingBox())!
      expect(y).toBeGreaterThanOrEqual(header!.y + header!.height)
      expect(y).toBeLessThan(300)
      await page.keyboard.press('Tab')
      await page.locator('#mapping :focus').waitFor()
    })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
