import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, localTime, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { readAutomation, reviewAutomation } from './published.ts'
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

/** Comes back to the tab of an editor, which reads its object again. */
async function comeBack(page: Page, path: string): Promise<void> {
  const read = page.waitForResponse((answer) => answer.request().method() === 'GET' && answer.url().includes(path))
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  await read
}

const refusedIn = (page: Page, words: RegExp) => page.getByRole('dialog').getByRole('alert').getByText(words)

describe('two users who edit the same object', () => {
  inBrowser('do not silently replace the draft of a campaign; nothing typed is lost', async () => {
    const campaignId = await addDraft(world, senderId, 'Spring 2026')
    const [first, second] = await openTwice(`/campaigns/${campaignId}/edit`)
    await first.getByLabel('Name').fill('Name of the first')
    await second.getByLabel('Name').fill('Name of the second')
    await first.getByRole('button', { name: 'Save a new version' }).click()
    await first.getByRole('heading', { level: 1, name: 'Name of the first' }).waitFor()

    await comeBack(second, `/campaigns/${campaignId}`)
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

    await comeBack(second, `/automations/${automationId}`)
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

  inBrowser('do not silently write a version of a template that leaves out the one of the other', async () => {
    const [first, second] = await openTwice(`/templates/${world.templateId}/new`)
    await first.getByLabel('Subject').fill('Subject of the first')
    await second.getByLabel('Subject').fill('Subject of the second')
    await first.getByRole('button', { name: 'Save the version' }).click()
    await first.getByRole('heading', { level: 1, name: 'Monthly newsletter', exact: true }).waitFor()

    await comeBack(second, `/email-templates/${world.templateId}`)
    await second.getByRole('button', { name: 'Save the version' }).click()
    await refusal(second)
      .getByText(/Version 2 was saved .*, by owner/)
      .waitFor()
    expect(await second.getByLabel('Subject').inputValue()).toBe('Subject of the second')
    expect(await overflowOf(second)).toBeLessThanOrEqual(0)
    const looked = second.context().waitForEvent('page')
    await refusal(second).getByRole('link', { name: 'Look at version 2' }).click()
    await (await looked).getByText('Subject of the first').first().waitFor()
    await refusal(second).getByRole('button', { name: 'Save mine as version 3' }).click()
    await second.getByText('Subject of the second').first().waitFor()
  })
})

describe('a dialog does what it said when it was opened', () => {
  inBrowser('a version of a campaign that was saved meanwhile is not scheduled', async () => {
    const campaignId = await addDraft(world, senderId, 'Summer 2026')
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/campaigns/${campaignId}` })
    await page.getByLabel('Send at').fill(await localTime(page, 3_600_000))
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Version 1 is sent, with the subject “.+”, to Weekly news\.$/).waitFor()
    await dialog.getByLabel(/^Type Summer 2026/).fill('Summer 2026')

    await world.owner.ok('POST', `${workspace}/campaign-drafts/${campaignId}/versions`, {
      name: 'Another summer',
      audience_id: world.otherAudienceId,
      sender_identity_id: senderId,
      content_version_id: world.contentId,
    })
    await comeBack(page, `/campaigns/${campaignId}`)
    await page.locator('h1', { hasText: 'Another summer' }).waitFor()
    await dialog.getByRole('button', { name: 'Schedule the campaign' }).click()
    await refusedIn(page, /^Version 2 of this campaign was saved by owner at .*Nothing was scheduled\./).waitFor()
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()

    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    await dialog.getByText(/^Version 2 is sent, with the subject “.+”, to Product news\.$/).waitFor()
    await dialog.getByLabel(/^Type Another summer/).fill('Another summer')
    await act(page, 'Schedule the campaign')
    await page.getByRole('heading', { level: 1, name: 'Run of Another summer' }).waitFor()
  })

  inBrowser('a version of an automation that was saved meanwhile is not published', async () => {
    const automationId = await addAutomation(world, senderId, 'Greeting')
    await reviewAutomation(world.owner, automationId)
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}` })
    await page.getByRole('button', { name: 'Publish' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish version 1 of Greeting?' })
    await dialog.waitFor()

    const { definition } = (await readAutomation(world.owner, automationId)).automation.selected_version
    await world.owner.ok('POST', `${workspace}/automations/${automationId}/versions`, { definition })
    await reviewAutomation(world.owner, automationId)
    await comeBack(page, `/automations/${automationId}`)
    await dialog.getByRole('button', { name: 'Publish it' }).click()
    await refusedIn(page, /^Version 2 of this automation was saved by owner at .*Nothing was published\./).waitFor()
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('dialog', { name: 'Publish version 2 of Greeting?' }).waitFor()
    await act(page, 'Publish it')
    await page.getByText('Published', { exact: true }).waitFor()
  })
})
