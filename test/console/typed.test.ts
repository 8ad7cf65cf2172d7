import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, localTime, openConsoleStage, openPalette, type ConsoleStage } from './console-stage.ts'
import { addDraft, openSending, openSettings, openWorld, type ConsoleWorld } from './world.ts'

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

const at = (page: Page, path: string) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)

/** The addresses of the changes that a page sends from now on. */
function changesOf(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  return sent
}

/** As two Enter keys do before the form is drawn again. */
const submitTwice = (page: Page, form: string) =>
  page.evaluate(`{ const form = document.querySelector('${form}'); form.requestSubmit(); form.requestSubmit() }`)

describe('what somebody types in the console', () => {
  inBrowser('stays in an editor of a browser without the Navigation API', async () => {
    const page = await stage.signedIn('owner')
    await page.addInitScript(`Object.defineProperty(window, 'navigation', { value: undefined })`)
    await at(page, `/templates/${world.templateId}/new`)
    const subject = page.getByLabel('Subject')
    await subject.fill('')
    await subject.pressSequentially('Typed')
    expect(await subject.inputValue()).toBe('Typed')
    const asked = page.waitForEvent('dialog')
    const left = page.close({ runBeforeUnload: true })
    expect((await asked).type()).toBe('beforeunload')
    await (await asked).dismiss()
    await left
    expect(await subject.inputValue()).toBe('Typed')
    await page.getByRole('link', { name: 'Audiences', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
  })

  inBrowser('confirms a name as it is shown, whatever white space is in it', async () => {
    const id = await addDraft(world, senderId, 'Two  spaces\u00a0and others')
    const page = await stage.signedIn('owner')
    await at(page, `/campaigns/${id}`)
    await page.getByLabel('Send at').fill(await localTime(page, 3_600_000))
    await page.getByRole('button', { name: 'Schedule', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const phrase = dialog.getByLabel(/^Type Two/)
    await phrase.fill('Twospaces and others')
    expect(await dialog.getByRole('button', { name: 'Schedule the campaign' }).isDisabled()).toBe(true)
    await phrase.fill('Two spaces and others ')
    await act(page, 'Schedule the campaign')
    await page.getByRole('heading', { level: 1, name: /^Run of Two/ }).waitFor()
  })

  inBrowser('stands in the field of a filter exactly while the list is filtered by it', async () => {
    const page = await stage.signedIn('owner')
    await at(page, '/contacts')
    const field = page.getByRole('search').getByRole('searchbox').first()
    const rows = page.getByRole('table', { name: 'Contacts' }).getByRole('link')
    await rows.filter({ hasText: 'ada@' }).waitFor()
    await openPalette(page).then((palette) => palette.fill('grace'))
    await page.getByText('in contacts').click()
    await page.waitForURL('**/contacts?search=grace')
    await rows.filter({ hasText: 'ada@' }).waitFor({ state: 'detached' })
    expect(await field.inputValue()).toBe('grace')

    await field.fill('alan ')
    await page.waitForURL('**/contacts?search=alan')
    await rows.filter({ hasText: 'alan@' }).waitFor()
    expect(await field.inputValue()).toBe('alan ')

    // A key just before the address changes does not come back later.
    await field.pressSequentially('t')
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    await rows.filter({ hasText: 'ada@' }).waitFor()
    expect([await field.inputValue(), new URL(page.url()).search]).toEqual(['', ''])
    await field.fill('tony')
    await page.waitForURL('**/contacts?search=tony')
  })

  inBrowser('is sent once, however fast the Enter key comes twice', async () => {
    const page = await stage.signedIn('owner')
    await at(page, '/tags')
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('twice')
    const sent = changesOf(page)
    await submitTwice(page, '[role=dialog] form')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /^twice/ }).waitFor()
    expect(sent).toHaveLength(1)

    await at(page, `/templates/${world.templateId}/new`)
    await page.getByLabel('Subject').fill('Saved once')
    await submitTwice(page, 'main form')
    await page.getByRole('heading', { level: 1, name: 'Monthly newsletter' }).waitFor()
    expect(sent).toHaveLength(2)
  })

  inBrowser('is not saved by the Enter key in a list of tags', async () => {
    const id = await addDraft(world, senderId, 'Tagged')
    const page = await stage.signedIn('owner')
    await at(page, `/campaigns/${id}/edit`)
    await page.getByLabel('Name').fill('Tagged twice')
    await page.getByRole('button', { name: 'Save a new version' }).waitFor()
    const sent = changesOf(page)
    const tags = page.getByRole('combobox', { name: 'With any of these tags' })
    await tags.focus()
    await page.getByRole('option', { name: 'london' }).waitFor()
    await tags.press('Enter')
    await tags.fill('vip')
    await tags.press('Enter')
    await tags.press('Enter')
    await tags.press('ArrowDown')
    await tags.press('Enter')
    await page.getByRole('button', { name: 'Save a new version' }).click()
    await page.getByRole('region', { name: 'What is sent' }).getByText('any of vip, london').waitFor()
    expect(sent).toHaveLength(1)
  })

  inBrowser('makes no exception and breaks no rule of its content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
