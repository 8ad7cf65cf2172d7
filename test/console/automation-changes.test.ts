import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { publishAutomation, subscribe } from './published.ts'
import {
  addAutomation,
  atConsole,
  openSending,
  openSettings,
  openWorld,
  setGate,
  workspace,
  type ConsoleWorld,
} from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  await stage.services.startWorker('automations')
  world = await openWorld(stage.services)
  await setGate(stage.services, 'automation_enabled', true)
})
afterAll(async () => {
  await stage?.close()
})

const statusOf = async (id: string) =>
  (await world.owner.ok<{ automation: { status: string } }>('GET', `${workspace}/automations/${id}`)).automation.status

/** The only enrollment of an automation, when it is in this state. */
const inState = (automationId: string, state: string) =>
  until(async () => {
    const { enrollments } = await world.owner.ok<{ enrollments: { id: string; state: string }[] }>(
      'GET',
      `${workspace}/automations/${automationId}/enrollments`,
    )
    return enrollments[0]?.state === state && enrollments[0].id
  })

/** Removes a tag that an automation names. */
async function mergeTag(name: string, into: string): Promise<void> {
  const owner = await stage.services.inBrowser('owner')
  const { tags } = await owner.ok<{ tags: { id: string; name: string }[] }>('GET', `${atConsole}/tags`)
  const { id } = tags.find((tag) => tag.name === name)!
  await owner.ok('POST', `${atConsole}/tags/${id}/merge`, { into })
}

const acts = (page: Page) => page.getByRole('main').getByRole('button', { name: /^(Pause|Resume|Replay|Cancel)$/ })

describe('a change of an automation that contacts are in', () => {
  inBrowser('asks before a saved graph stops it, and says who stays in the earlier version', async () => {
    const automationId = await addAutomation(world, await openSending(stage.services, world.owner))
    await publishAutomation(stage.services, world, automationId)
    await subscribe(world, 'Ada')
    await inState(automationId, 'waiting')
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}` })
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByText('People who are in it stay where they are until it is published again').waitFor()
    await page.locator('.step').filter({ hasText: 'Wait 1 day' }).click()
    await page.getByRole('region', { name: 'This step' }).getByLabel('How long').fill('3')

    await page.getByRole('button', { name: 'Save the version' }).click()
    await page.getByRole('dialog').getByText('From now on its trigger enrolls nobody').waitFor()
    await act(page, 'Leave it as it is')
    expect(await statusOf(automationId)).toBe('published')
    await page.getByRole('button', { name: 'Save the version' }).click()
    await act(page, 'Save it')

    await page.getByRole('heading', { level: 1, name: 'Welcome' }).waitFor()
    await page.getByRole('main').getByText('Draft', { exact: true }).waitFor()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps
      .locator('div')
      .filter({ hasText: /^In it now0 contacts$/ })
      .waitFor()
    await steps
      .locator('div')
      .filter({ hasText: /^In other versions1 contact$/ })
      .waitFor()
  })

  inBrowser('offers for one person only what its state allows: a failed step can be repeated or given up', async () => {
    const { automation } = await world.owner.ok<{ automation: { id: string } }>('POST', `${workspace}/automations`, {
      name: 'Tags',
      slug: 'tags',
      definition: {
        trigger: { type: 'audience_subscribed', config: { audience_id: world.otherAudienceId } },
        start_node: 'pause',
        nodes: [
          { key: 'pause', type: 'wait_duration', config: { seconds: 1 } },
          { key: 'tag', type: 'add_tag', config: { tag: 'london' } },
        ],
        edges: [{ from: 'pause', to: 'tag', branch: 'default' }],
      },
    })
    await publishAutomation(stage.services, world, automation.id)
    await mergeTag('london', 'vip')
    await subscribe(world, 'Grace')
    const failedId = await inState(automation.id, 'failed')
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/enrollments/${failedId}` })
    const history = page.getByRole('region', { name: 'What happened' })
    await history.getByText('Add a tag: tag').waitFor()
    expect(await acts(page).allInnerTexts()).toEqual(['Replay', 'Cancel'])
    await page.getByRole('button', { name: 'Replay' }).click()
    await act(page, 'Replay it')
    await history.getByText('Replayed').waitFor()
    await inState(automation.id, 'failed')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await act(page, 'Cancel the enrollment')
    await history.getByText('Cancelled').waitFor()
    expect(await acts(page).count()).toBe(0)
  })

  inBrowser('offers no repetition of a step for a person who waits', async () => {
    const page = await stage.signedIn('owner')
    const [welcome] = (
      await world.owner.ok<{ automations: { id: string; slug: string }[] }>('GET', `${workspace}/automations`)
    ).automations.filter(({ slug }) => slug === 'welcome')
    const waitingId = await inState(welcome!.id, 'waiting')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/enrollments/${waitingId}`)
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect(await acts(page).allInnerTexts()).toEqual(['Pause', 'Cancel'])
  })
})
