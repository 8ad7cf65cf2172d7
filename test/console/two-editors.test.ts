import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addAutomation, addDraft, openSending, openSettings, openWorld, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let senderId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  senderId = await openSending(stage.services, world.owner)
})
afterAll(async () => {
  await stage?.close()
})

/** Opens the same editor as two users, each in a browser profile of their own. */
async function openTwice(path: string): Promise<[Page, Page]> {
  const first = await stage.signedIn('owner')
  const second = await stage.signedIn('editor', { viewport: { width: 375, height: 800 } })
  for (const page of [first, second]) await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)
  return [first, second]
}

const refusal = (page: Page) =>
  page.getByRole('alert').filter({ hasText: 'Somebody saved another version in the meantime' })

describe('two users who edit the same object', () => {
  inBrowser('do not silently replace the draft of a campaign; nothing typed is lost', async () => {
    const campaignId = await addDraft(world, senderId, 'Spring 2026')
    const [first, second] = await openTwice(`/campaigns/${campaignId}/edit`)
    await first.getByLabel('Name').fill('Name of the first')
    await second.getByLabel('Name').fill('Name of the second')
    await first.getByRole('button', { name: 'Save a new version' }).click()
    await first.getByRole('heading', { level: 1, name: 'Name of the first' }).waitFor()

    await second.getByRole('button', { name: 'Save a new version' }).click()
    await refusal(second)
      .getByText(/Version 2 was saved .*, by owner/)
      .waitFor()
    expect(await second.getByLabel('Name').inputValue()).toBe('Name of the second')
    expect(await overflowOf(second)).toBeLessThanOrEqual(0)
    const looked = second.context().waitForEvent('page')
    await refusal(second).getByRole('link', { name: 'Look at version 2' }).click()
    await (await looked).getByRole('heading', { level: 1, name: 'Name of the first' }).waitFor()

    await refusal(second).getByRole('button', { name: 'Save mine as version 3' }).click()
    await second.getByRole('heading', { level: 1, name: 'Name of the second' }).waitFor()
  })

  inBrowser('do not silently replace the graph of an automation; the later one may reload', async () => {
    const automationId = await addAutomation(world, senderId)
    const [first, second] = await openTwice(`/automations/${automationId}/edit`)
    for (const [page, days] of [
      [first, '3'],
      [second, '5'],
    ] as const) {
      await page.locator('.step').filter({ hasText: 'Wait 1 day' }).click()
      await page.getByRole('region', { name: 'This step' }).getByLabel('How long').fill(days)
    }
    await first.getByRole('button', { name: 'Save the version' }).click()
    await first.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()

    await second.getByRole('button', { name: 'Save the version' }).click()
    await refusal(second)
      .getByText(/Version 2 was saved .*, by owner/)
      .waitFor()
    await second.locator('.step').filter({ hasText: 'Wait 5 days' }).waitFor()
    expect(await overflowOf(second)).toBeLessThanOrEqual(0)
    await refusal(second).getByRole('button', { name: 'Reload, and lose mine' }).click()
    await second.locator('.step').filter({ hasText: 'Wait 3 days' }).waitFor()
    await second.getByText('Nothing is changed yet').waitFor()
    const { automation } = await world.owner.ok<{ automation: { current_version: number } }>(
      'GET',
      `${workspace}/automations/${automationId}`,
    )
    expect(automation.current_version).toBe(2)
  })
})
