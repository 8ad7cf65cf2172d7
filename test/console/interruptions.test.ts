// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { addSource } from './add-source.ts'
import { hasChromium, inBrowser } from './browser.ts'
import { choose, comeBack, holdAnswer, openConsoleStage, signInAgain, type ConsoleStage } from './console-stage.ts'
import { atConsole, openSettings, openWorld, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
})
afterAll(async () => {
  await stage?.close()
})

const toast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text })

describe('the console, when something comes between,', () => {
  inBrowser('says at once that a change failed without a network, and does not make it later', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('row', { name: /^vip/ }).waitFor()
    await page.getByRole('button', { name: 'Register a tag' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('later')
    await page.context().setOffline(true)
    await dialog.getByRole('button', { name: 'Register it' }).click()
    await dialog.getByText('No answer arrived').waitFor()
    page.once('dialog', (question) => void question.accept())
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const readAgain = page.waitForResponse((answer) => answer.url().endsWith('/newsletter/tags'))
    await page.context().setOffline(false)
    await readAgain
    expect(await stage.services.stage.query(`select 1 from contacts.tags where name = 'later'`)).toEqual([])
  })

  inBrowser('asks before a dialog loses what was typed, but not what was sent', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('row', { name: /^Monthly newsletter/ }).waitFor()
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    const dialog = page.getByRole('dialog')
    const register = page.getByRole('button', { name: 'Register a tag' })
    await register.click()
    const name = dialog.getByLabel('Name')
    await name.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await register.click()
    await name.fill('halfway')
    const questions: string[] = []
    let isLost = false
    page.on('dialog', (question) => {
      questions.push(question.message())
      void (isLost ? question.accept() : question.dismiss())
    })
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.evaluate('history.back()')
    await until(() => questions.length === 3, { what: 'a question for each way out' })
    const closes = 'What you changed is not saved. Close the form, and lose it?'
    expect(questions).toEqual([closes, closes, 'What you changed is not saved. Leave this page, and lose it?'])
    expect(await name.inputValue()).toBe('halfway')
    isLost = true
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await register.click()
    await name.fill('kept')
    await dialog.getByRole('button', { name: 'Register it' }).click()
    await page.getByRole('row', { name: /^kept/ }).waitFor()
    await register.click()
    await name.fill('left')
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(questions.length).toBe(4)

    await page.getByRole('button', { name: 'Define a field' }).click()
    await dialog.getByLabel('Key').fill('size')
    await dialog.getByLabel('Key').fill('')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(questions.length).toBe(4)
    await page.getByRole('button', { name: 'Define a field' }).click()
    await dialog.getByLabel('Options').pressSequentially('small')
    await page.keyboard.press('Escape') // closes the list of the input
    await page.keyboard.press('Escape')
    await until(() => questions.length === 5, { what: 'the question about text without the Enter key' })
    await dialog.waitFor({ state: 'detached' })
  })

  inBrowser('keeps the next dialog of a button when the answer to the one before arrives', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/tags' })
    const register = page.getByRole('button', { name: 'Register a tag' })
    const dialog = page.getByRole('dialog')
    await page.getByRole('row', { name: /^vip/ }).waitFor()
    await register.click()
    await dialog.getByLabel('Name').fill('sent first')
    const first = await holdAnswer(page, '**/newsletter/tags')
    await dialog.getByRole('button', { name: 'Register it' }).click()
    await first.held
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await register.click()
    await dialog.getByLabel('Name').fill('typed meanwhile')
    first.release()
    await toast(page, 'Register a tag: done').waitFor()
    expect(await dialog.getByLabel('Name').inputValue()).toBe('typed meanwhile')
  })

  inBrowser('takes no input into a form while it is sent, and gives the focus back when that failed', async () => {
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/templates/${world.templateId}/new` })
    const subject = page.getByLabel('Subject')
    await subject.fill('Sent slowly')
    const sent = Promise.withResolvers<void>()
    await page.route('**/versions', async (route) => {
      await sent.promise
      await route.fulfill({ status: 500 })
    })
    await subject.press('Enter')
    await page.locator('form[inert]').waitFor()
    await page.keyboard.type('lost')
    sent.resolve()
    await page.locator('form:not([inert])').getByRole('alert').waitFor()
    // The browser pressed it for the Enter key.
    await page.getByRole('button', { name: 'Save the version' }).and(page.locator(':focus')).waitFor()
    expect(await subject.inputValue()).toBe('Sent slowly')
  })

  inBrowser('shows nothing of a contact that was deleted elsewhere', async () => {
    const { contact } = await world.owner.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email: 'gone@people.example.com',
      source: 'console',
    })
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/contacts/${contact.id}` })
    const title = page.getByRole('heading', { level: 1, name: 'gone@people.example.com' })
    await title.waitFor()
    const owner = await stage.services.inBrowser('owner')
    await owner.ok('DELETE', `${atConsole}/contacts/${contact.id}`)
    await comeBack(page)
    await page.locator('main').getByRole('alert', { name: 'There is nothing here' }).waitFor()
    await title.waitFor({ state: 'detached' })
    expect(await page.getByRole('button', { name: 'Erase' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Back to contacts' }).waitFor()
  })

  inBrowser('asks once for a way out that loses two things', async () => {
    const page = await stage.signedIn('owner')
    const secret = await addSource(page, 'Two ways out', 'Weekly news')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a source' }).click()
    await dialog.getByLabel('Name').fill('halfway')
    const questions: string[] = []
    page.on('dialog', (question) => {
      questions.push(question.message())
      void (question.type() === 'beforeunload' ? question.accept() : question.dismiss())
    })
    await page.evaluate('history.back()')
    await until(() => questions.length > 0, { what: 'the question' })
    await page.evaluate('1') // after every listener of the navigation
    expect(questions).toEqual([
      'This page shows a secret that is shown only this time. What you changed is not saved. Leave this page, and lose it?',
    ])
    expect(await page.getByText(secret).count()).toBe(1)
    expect(await dialog.getByLabel('Name').inputValue()).toBe('halfway')
  })

  inBrowser('says that the page may be old without a network, and reads it again with one', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('row', { name: /^vip/ }).waitFor()
    await page.context().setOffline(true)
    await comeBack(page)
    const failure = toast(page, 'This page could not be read again, and may be old')
    await failure.waitFor()
    await page.context().setOffline(false)
    await failure.waitFor({ state: 'detached' })
  })

  inBrowser('opens other pages although the program of one could not be loaded', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.route(/\/assets\/tags-[^/]*\.js$/, (route) => route.abort())
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    const failure = page.locator('main').getByRole('alert')
    await failure.getByText('No answer arrived').waitFor()
    await page.getByRole('link', { name: 'Audiences', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
    await page.goBack()
    await failure.getByText('No answer arrived').waitFor()
    await page.unrouteAll()
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tags and fields' }).waitFor()
  })

  inBrowser('loads a page whose program was missing when the network is back', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.locator('main').getByRole('alert').getByText('No answer arrived').waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Tags and fields' }).waitFor()
  })

  inBrowser('stays usable when the palette could not be loaded', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.route(/\/assets\/palette-[^/]*\.js$/, (route) => route.abort())
    await page.getByRole('button', { name: /^Go to/ }).click()
    await toast(page, 'No answer arrived').waitFor()
    await page.getByRole('link', { name: 'Audiences', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Audiences' }).waitFor()
  })

  inBrowser(
    'leaves the reader on the page to which they went before the answer, with a link to what was made',
    async () => {
      const page = await stage.signedIn('owner')
      await page.getByRole('link', { name: 'Templates' }).click()
      await page.getByRole('row', { name: /^Monthly newsletter/ }).waitFor()
      const made = await holdAnswer(page, '**/newsletter/email-templates')
      await page.getByRole('button', { name: 'Create a template' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Made late')
      await dialog.getByRole('button', { name: 'Create it' }).click()
      await made.held
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Contacts' }).click()
      await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
      made.release()
      const link = toast(page, 'Create a template: done').getByRole('link', { name: 'Open the page' })
      await link.waitFor()
      await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
      await link.click()
      await page.getByRole('heading', { level: 1, name: 'Made late' }).waitFor()
    },
  )

  inBrowser('does not move the reader who left before an upload ended', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.locator('input[type=file]').setInputFiles({
      name: 'late.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Email\nlate@people.example.com\n'),
    })
    await choose(page, 'Audience', 'Weekly news')
    await page.getByLabel('Where it comes from').fill('Old system')
    const uploaded = await holdAnswer(page, '**/newsletter/imports/csv')
    await page.getByRole('button', { name: 'Upload' }).click()
    await uploaded.held
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    uploaded.release()
    const link = toast(page, 'File uploaded').getByRole('link', { name: 'Open the page' })
    await link.waitFor()
    await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    await link.click()
    await page.getByRole('heading', { level: 1, name: 'late.csv' }).waitFor()
  })

  inBrowser('keeps what was typed when the session ends', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/templates/${world.templateId}/new` })
    await page.getByLabel('Subject').fill('Typed before the session ended')
    await page.context().clearCookies({ name: 'session' })
    await comeBack(page)
    await page.getByText('your session has ended').waitFor()
    await page.getByLabel('Subject').waitFor({ state: 'hidden' })
    await signInAgain(page, 'editor')
    await page.getByText('your session has ended').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Subject').inputValue()).toBe('Typed before the session ended')
    await page.getByRole('button', { name: 'Save the version' }).click()
    await page.getByRole('heading', { level: 1, name: 'Monthly newsletter' }).waitFor()
    await page.getByText('Typed before the session ended').first().waitFor()
  })

  inBrowser('follows a changed role, and closes the page of a user who was removed', async () => {
    const page = await stage.signedIn('editor')
    await page.clock.install()
    await page.reload()
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    const register = page.getByRole('button', { name: 'Register a tag' })
    await register.waitFor()
    const owner = await stage.services.inBrowser('owner')
    const { operators } = await owner.ok<{ operators: { wallet_user_id: string; username: string }[] }>(
      'GET',
      `${atConsole}/operators`,
    )
    const { wallet_user_id } = operators.find(({ username }) => username === 'editor')!
    const operator = `${atConsole}/operators/${wallet_user_id}`
    await owner.ok('PATCH', operator, { role: 'analyst' })
    await page.clock.fastForward(20_000)
    await page.getByText('Your role here, analyst,').waitFor()
    await register.waitFor({ state: 'detached' })

    await owner.ok('DELETE', operator)
    await comeBack(page)
    await page.locator('main').getByText('There is nothing here').waitFor()
    expect(await page.getByRole('row', { name: /^vip/ }).count()).toBe(0)
    await owner.ok('POST', `${atConsole}/operators`, { wallet_user_id, username: 'editor', role: 'editor' })
  })

  inBrowser('keeps no secret in memory after it was shown', async () => {
    const page = await stage.signedIn('owner')
    const secret = await addSource(page, 'Website footer', 'Weekly news')
    expect(await isInMemory(page, secret)).toBe(true)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText(/^lgs_/).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByRole('row', { name: /^ada/ }).waitFor()
    // React lets go of a drawing some time after the next one.
    await until(async () => !(await isInMemory(page, secret)), { everyMs: 500 })
  })

  inBrowser('makes no exception and breaks no rule of its content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})

/** Whether a text is in the memory of the scripts of a page. */
async function isInMemory(page: Page, text: string): Promise<boolean> {
  const devTools = await page.context().newCDPSession(page)
  const chunks: string[] = []
  devTools.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk))
  await devTools.send('HeapProfiler.takeHeapSnapshot')
  await devTools.detach()
  return chunks.join('').includes(text)
}
