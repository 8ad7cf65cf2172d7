import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { openSending, openSettings, openWorld, runCampaign, setGate } from './world.ts'

let stage: ConsoleStage
beforeAll(async () => {
  if (hasChromium) stage = await openConsoleStage(openSettings)
})
afterAll(async () => {
  await stage?.close()
})

const stepsOf = (page: Page) => page.getByRole('region', { name: 'To the first campaign' })
const openHome = (page: Page) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter`)

describe('the steps of a new workspace', () => {
  inBrowser('lead from the connection to the first campaign, each with a link to its page', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.signedIn('owner', { colorScheme, viewport: { width: 375, height: 800 } })
      await openHome(page)
      const steps = stepsOf(page)
      await steps.getByText('Next: connect the mail provider.').waitFor()
      expect(await steps.getByRole('link').allInnerTexts()).toEqual([
        'Connect the mail provider',
        'Make a sending domain ready',
        'Open the platform gate for production sending',
        'Enable a sender',
        'Create an audience',
        'Get people into it: import a file, or connect a sign-up form',
        'Write an email as a template',
        'Send yourself a test',
        'Activate sending for the workspace',
        'Write the first campaign',
        'Schedule it',
      ])
      expect(await overflowOf(page)).toBe(0)
    }
    const page = await stage.signedIn('owner')
    await openHome(page)
    for (const [link, heading] of [
      ['Connect the mail provider', 'Sending'],
      ['Open the platform gate for production sending', 'Gates'],
      ['Create an audience', 'Audiences'],
      ['Get people into it', 'Imports'],
      ['Write an email as a template', 'Templates'],
      ['Send yourself a test', 'Test and rehearse'],
      ['Schedule it', 'Campaigns'],
    ] as const) {
      await stepsOf(page).getByRole('link', { name: link }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.goBack()
    }
  })

  inBrowser('say who does what a role cannot do', async () => {
    const notesOf = async (who: string) => {
      const page = await stage.signedIn(who)
      await openHome(page)
      const step = (title: string) => stepsOf(page).getByRole('listitem').filter({ hasText: title })
      await stepsOf(page).getByText('Next:').waitFor()
      return {
        connection: await step('Connect the mail provider').innerText(),
        gate: await step('Open the platform gate').innerText(),
        hasGateLink: (await step('Open the platform gate').getByRole('link').count()) > 0,
        sender: await step('Enable a sender').innerText(),
        audience: await step('Create an audience').innerText(),
        test: await step('Send yourself a test').innerText(),
      }
    }
    const ofDeployment = 'The operators of the deployment put the credential into the environment of the service first.'
    const ofTests =
      'Send yourself a test\nAn owner or administrator of the platform opens the gate for test sends, and the operators of the deployment allow your address.'
    const ofPlatform =
      'Open the platform gate for production sending\nAn owner or administrator of the platform does this.'
    expect(await notesOf('owner')).toEqual({
      connection: `Connect the mail provider\n${ofDeployment}`,
      gate: 'Open the platform gate for production sending',
      hasGateLink: true,
      sender: 'Enable a sender',
      audience: 'Create an audience',
      test: ofTests,
    })
    expect(await notesOf('wsowner')).toMatchObject({ gate: ofPlatform, hasGateLink: false, sender: 'Enable a sender' })
    expect(await notesOf('editor')).toEqual({
      connection: `Connect the mail provider\n${ofDeployment} An owner or brand admin of the workspace does this.`,
      gate: ofPlatform,
      hasGateLink: false,
      sender: 'Enable a sender\nAn owner of the workspace does this.',
      audience: 'Create an audience',
      test: ofTests,
    })
    expect(await notesOf('analyst')).toMatchObject({
      audience: 'Create an audience\nAn owner, brand admin or editor of the workspace does this.',
      test: `${ofTests} An owner, brand admin or editor of the workspace does this.`,
    })
  })

  inBrowser('are done one by one, and go when the first run is scheduled', async () => {
    const world = await openWorld(stage.services)
    const senderId = await openSending(stage.services, world.owner)
    await setGate(stage.services, 'test_sends_enabled', true)
    const page = await stage.signedIn('owner')
    await openHome(page)
    const steps = stepsOf(page)
    await steps.getByText('Next: send yourself a test.').waitFor()
    await steps.getByText('Open the platform gate for production sending: done').waitFor()
    await steps.getByRole('link', { name: 'Send yourself a test' }).click()
    await page.getByRole('button', { name: 'Send a test' }).first().click()
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await choose(page, 'Template', 'Monthly newsletter')
    await page.getByRole('dialog').getByLabel('Address', { exact: false }).fill('ada@people.example.com')
    await page.getByLabel(/^Type SEND TEST EMAIL/).fill('SEND TEST EMAIL')
    await act(page, 'Send it')
    await openHome(page)
    await steps.getByText('Next: write the first campaign.').waitFor()
    await steps.getByText('Send yourself a test: done').waitFor()

    await runCampaign(world, senderId)
    await openHome(page)
    await page.getByRole('table', { name: 'Newest runs' }).getByRole('link', { name: 'Spring newsletter' }).waitFor()
    expect(await steps.count()).toBe(0)
  })
})
