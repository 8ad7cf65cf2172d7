import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { newsletter } from '@lettergate/demo/newsletter'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addAutomation, openSending, openSettings, openWorld, setGate, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let automationId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  await setGate(stage.services, 'test_sends_enabled', true)
  automationId = await addAutomation(world, await openSending(stage.services, world.owner))
  // The oldest template has a second page of versions, and is itself on the second page of templates.
  for (let version = 2; version <= 55; version += 1)
    await world.owner.ok('POST', `${workspace}/email-templates/${world.templateId}/versions`, {
      ...newsletter,
      subject: `News, part ${version}`,
    })
  for (let number = 1; number <= 55; number += 1) await addTemplate(`Note ${number}`)
  const archived = await addTemplate('Monthly news of old')
  await world.owner.ok('POST', `${workspace}/email-templates/${archived}/archive`, { archived: true })
  await addTemplate('Monthly plan')
})
afterAll(async () => {
  await stage?.close()
})

async function addTemplate(name: string): Promise<string> {
  const slug = name.toLowerCase().replaceAll(' ', '-')
  const { email_template } = await world.owner.ok<{ email_template: { id: string } }>(
    'POST',
    `${workspace}/email-templates`,
    { name, slug },
  )
  return email_template.id
}

const template = (page: Page) => page.getByRole('combobox', { name: 'Template' })
const version = (page: Page) => page.getByRole('combobox', { name: 'Version of the content' })
const options = (page: Page) => page.getByRole('option')

/** Scrolls the open list to its end, until the option is there. */
async function scrollTo(page: Page, name: string): Promise<void> {
  await options(page).nth(49).scrollIntoViewIfNeeded()
  await page.getByRole('option', { name, exact: true }).click()
}

describe('the content of an email', () => {
  inBrowser('is any version of any template: found by its name for a test email', async () => {
    const page = await stage.signedIn('owner', {
      at: '/w/acme/newsletter/testing',
      viewport: { width: 375, height: 800 },
    })
    await page.getByRole('button', { name: 'Send a test', exact: true }).click()
    expect(await version(page).isDisabled()).toBe(true)
    await template(page).fill('MONTHLY')
    await page.getByRole('option', { name: 'Monthly newsletter' }).waitFor()
    await options(page).nth(2).waitFor({ state: 'detached' })
    expect(await options(page).allInnerTexts()).toEqual(['Monthly plan (no content yet)', 'Monthly newsletter'])
    await page.getByRole('option', { name: 'Monthly newsletter' }).click()
    await page.locator('input[value="55: News, part 55"]').waitFor()
    await version(page).click()
    await scrollTo(page, '2: News, part 2')
    expect(await version(page).inputValue()).toBe('2: News, part 2')
    expect(await template(page).inputValue()).toBe('Monthly newsletter')
    expect(await overflowOf(page)).toBe(0)

    await template(page).fill('nothing has this name')
    await page.getByText('No template matches').waitFor()
    await page.keyboard.press('Escape')
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await page.getByLabel('Address', { exact: false }).last().fill('ada@people.example.com')
    await page.getByLabel(/^Type SEND/).fill('SEND TEST EMAIL')
    const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().includes('/test-sends'))
    await act(page, 'Send it')
    const { content_version_id } = (await sent).postDataJSON() as { content_version_id: string }
    const [used] = await stage.services.stage.query<{ subject: string }>(
      'select subject from campaigns.content_versions where id = $1',
      [content_version_id],
    )
    expect(used?.subject).toBe('News, part 2')
  })

  inBrowser('is tested from the page of its template, in a dialog that says what is left of the caps', async () => {
    const page = await stage.signedIn('editor', {
      at: `/w/acme/newsletter/templates/${world.templateId}`,
      viewport: { width: 375, height: 800 },
    })
    await page
      .getByRole('region', { name: /^Version 55/ })
      .getByRole('button', { name: 'Send a test' })
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Left: \d+ of 20 this hour, \d+ of 100 today\./).waitFor()
    await page.locator('input[value="55: News, part 55"]').waitFor()
    expect(await template(page).inputValue()).toBe('Monthly newsletter')
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await dialog.getByLabel('Address', { exact: false }).fill('nobody@elsewhere.example.com')
    await dialog.getByLabel(/^Type SEND/).fill('SEND TEST EMAIL')
    await dialog.getByRole('button', { name: 'Send it' }).click()
    await dialog.getByRole('alert').getByText('not among the recipients allowed').waitFor()
    expect(await overflowOf(page)).toBe(0)
    await dialog.getByLabel('Address', { exact: false }).fill('grace@people.example.com')
    await act(page, 'Send it')

    const analyst = await stage.signedIn('analyst', { at: `/w/acme/newsletter/templates/${world.templateId}` })
    await analyst.getByRole('region', { name: /^Version 55/ }).waitFor()
    expect(await analyst.getByRole('button', { name: 'Send a test' }).count()).toBe(0)
  })

  inBrowser('is found by scrolling for a draft, and says how to go on when the list cannot be read', async () => {
    const page = await stage.signedIn('editor')
    await page.route('**/email-templates?*', (route) => route.abort())
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/new`)
    await page.getByRole('alert').waitFor()
    await page.unroute('**/email-templates?*')
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await template(page).click()
    await scrollTo(page, 'Monthly newsletter')
    await version(page).click()
    await scrollTo(page, '3: News, part 3')
    await page.getByLabel('Name').fill('Third')
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await choose(page, 'Audiences', /^Weekly news/)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save the draft' }).click()
    await page.getByRole('heading', { level: 1, name: 'Third' }).waitFor()
    await page.getByRole('region', { name: 'What is sent' }).getByText('News, part 3').waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.locator('input[value="3: News, part 3"]').waitFor()
    expect(await template(page).inputValue()).toBe('Monthly newsletter')

    // A second version of the draft is compared with the first, its content too.
    await page.getByLabel('Name').fill('Third, with more')
    await version(page).click()
    await page.getByRole('option', { name: '55: News, part 55' }).click()
    await choose(page, 'Audiences', /^Product news/)
    await page.keyboard.press('Escape')
    await page.getByLabel('Notes').fill('Also for products')
    await page.getByRole('button', { name: 'Save a new version' }).click()
    const changes = page.getByRole('region', { name: 'Changes in version 2' })
    await changes.getByRole('row', { name: 'Name Third Third, with more' }).waitFor()
    await changes.getByRole('row', { name: 'Audiences Weekly news Product news, Weekly news' }).waitFor()
    await changes.getByRole('row', { name: 'Content News, part 3 (version 3) News, part 55 (version 55)' }).waitFor()
    await changes.getByRole('row', { name: 'Notes – Also for products' }).waitFor()
    await changes.locator('ins').getByText('55', { exact: true }).waitFor()
  })

  inBrowser('is found with the keys for a draft, beyond the first page of versions', async () => {
    const page = await stage.signedIn('editor', { at: '/w/acme/newsletter/campaigns/new' })
    // No template of the first page has content, so the next one is read at once.
    await template(page).press('ArrowDown')
    await page.getByRole('option', { name: 'Monthly newsletter' }).waitFor()
    await template(page).press('ArrowDown')
    await template(page).press('Enter')
    await page.locator('input[value="55: News, part 55"]').waitFor()
    await version(page).press('ArrowDown')
    await options(page).nth(49).waitFor()
    for (let number = 55; number > 6; number -= 1) await page.keyboard.press('ArrowDown')
    await options(page).nth(54).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await version(page).inputValue()).toBe('5: News, part 5')
  })

  inBrowser('can be an older version in a step of an automation', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/automations/${automationId}/edit` })
    await page.getByText('Nothing is changed yet').waitFor()
    await page.locator('input[value^="1: "]').waitFor()
    await version(page).click()
    await page.getByRole('option', { name: '54: News, part 54' }).click()
    await page.getByRole('button', { name: 'Save the version' }).click()
    await page.getByRole('region', { name: 'Changes in version 2' }).getByText('News, part 54').waitFor()
  })

  inBrowser('can be an older version in the confirmation email of a source', async () => {
    await world.owner.ok('POST', `${workspace}/subscription-sources`, {
      slug: 'footer',
      display_name: 'Footer',
      allowed_origins: ['https://www.acme.test'],
      allowed_audience_ids: [world.audienceId],
    })
    const id = await addTemplate('Please confirm')
    for (const subject of ['Is this your address?', 'Please say yes'])
      await world.owner.ok('POST', `${workspace}/email-templates/${id}/versions`, {
        subject,
        html: '<p>Hi <a href="{{ confirmation_url }}">confirm</a></p>',
      })
    const page = await stage.signedIn('admin', { at: '/w/acme/newsletter/sources/footer' })
    await page.getByRole('button', { name: 'Ask for a confirmation' }).click()
    await choose(page, 'Sender', /asa@mail.acme.test/)
    await template(page).fill('confirm')
    await page.getByRole('option', { name: 'Please confirm' }).click()
    await choose(page, 'Version of the content', '1: Is this your address?')
    await act(page, 'Ask for it')
    await page.getByRole('link', { name: 'Is this your address?' }).waitFor()

    // A campaign cannot have it, and says so before it is saved.
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/new`)
    // By the keys: a click would scroll the input away, with its list.
    const chooseOnly = async (typed: string, name: string) => {
      await template(page).fill(typed)
      await page.getByRole('option', { name }).waitFor()
      await options(page).nth(1).waitFor({ state: 'detached' })
      await template(page).press('ArrowDown')
      await template(page).press('Enter')
    }
    await chooseOnly('confirm', 'Please confirm')
    const onlyThere = page.getByText('Only for the confirmation email of a source')
    await onlyThere.waitFor()
    const check = page.getByRole('list', { name: 'Check of the draft' })
    await check.getByText('the content is only for confirmation emails').waitFor()
    await chooseOnly('Monthly newsletter', 'Monthly newsletter')
    await page.locator('input[value="55: News, part 55"]').waitFor()
    await onlyThere.waitFor({ state: 'detached' })
  })

  inBrowser('is found by its name in the list of templates', async () => {
    const page = await stage.signedIn('analyst', { at: '/w/acme/newsletter/templates' })
    await page.getByLabel('Name').fill('newsletter')
    await page.getByRole('link', { name: 'Monthly newsletter' }).waitFor()
    await page.getByRole('row', { name: /^Note/ }).first().waitFor({ state: 'detached' })
    await page.getByLabel('Name').fill('nothing has this name')
    await page.getByText('No template matches').waitFor()
    expect(stage.problems).toEqual([])
  })
})
