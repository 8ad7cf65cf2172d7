// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, holdAnswer, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { addMemberDays, openWorld, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage()
  world = await openWorld(stage.services)
})
afterAll(async () => {
  await stage?.close()
})

const open = (page: Page, path: string) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)

describe('the pages of people', () => {
  inBrowser('find a contact, explain why it cannot be mailed, and record its consent', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await page.getByLabel('Address or name').fill('don')
    await page.waitForURL('**/contacts?search=don')
    await page.getByRole('link', { name: 'donald@people.example.com' }).click()
    const verdict = page.getByRole('article', { name: 'Weekly news' })
    await verdict.getByText('The contact unsubscribed from this audience').waitFor()
    await verdict.getByText('Only a new consent that the contact gives later changes this').waitFor()
    const consent = page.getByRole('region', { name: 'Consent' })
    await consent.getByText('Withdrew: Weekly news').waitFor()

    const other = page.getByRole('article', { name: 'Product news' })
    await other.getByText('never gave consent').waitFor()
    await other.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByLabel('Wording of the consent').fill('phone-2026')
    await page.getByLabel('How the contact agreed').fill('By phone, to Ada')
    await act(page, 'Record the consent')
    await consent.getByText('Agreed: Product news').waitFor()
    await consent.getByText('phone-2026').waitFor()
  })

  inBrowser('resolve a suppression with a reason, also while a filter is still being read', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Suppressions', exact: true }).click()
    const row = page.getByRole('row', { name: /tony@people/ })
    await row.getByText('Evidence: ticket S-17').waitFor()
    const filtered = await holdAnswer(page, '**/suppressions?*search=tony*')
    await page.getByLabel('Address').fill('tony')
    await filtered.held
    await row.getByRole('button', { name: 'Resolve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The contact can be mailed again').waitFor()
    filtered.release()
    await page.locator('table[aria-busy="false"]').waitFor()
    expect(await dialog.getByRole('button', { name: 'Resolve it' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Why is this right?').fill('He wrote that it was a mistake')
    await act(page, 'Resolve it')
    await row.getByText('He wrote that it was a mistake').waitFor()
  })

  inBrowser('erase a person only after the exact phrase', async () => {
    const id = world.contacts['Alan']!
    const page = await stage.signedIn('owner')
    await open(page, `/contacts/${id}`)
    await page.getByRole('button', { name: 'Erase' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Type ERASE/).fill(`erase ${id}`)
    expect(await dialog.getByRole('button', { name: 'Erase this person' }).isDisabled()).toBe(true)
    await dialog.getByLabel(/^Type ERASE/).fill(`ERASE ${id}`)
    await act(page, 'Erase this person')
    await page.getByRole('heading', { name: 'Erasure of a person' }).waitFor()
    await page.getByRole('region', { name: 'Contacts and consent' }).getByText('Profiles, deleted: 1').waitFor()
    await page.getByText('The erasure suppressed the address in this workspace with the reason “legal”').waitFor()
  })

  inBrowser('create an audience, archive it, and delete it', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Audiences', exact: true }).click()
    await page.getByRole('button', { name: 'Create an audience' }).click()
    await page.getByLabel('Name').fill('Événements')
    await page.getByLabel('Purpose').fill('Events near you')
    await page.getByLabel('Minimum hours').fill('-5')
    await page.getByRole('button', { name: 'Create it' }).click()
    const refused = page.getByRole('dialog').getByRole('alert')
    await refused.getByText('Minimum hours between two emails must be at least 0').waitFor()
    expect(await page.getByRole('dialog').locator('[aria-invalid=true]').count()).toBe(1)
    expect(await page.getByLabel('Minimum hours between two emails').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Minimum hours').fill('24')
    await act(page, 'Create it')
    await page.getByRole('heading', { level: 1, name: 'Événements' }).waitFor()
    await page.getByText('1 day').waitFor()
    await page.getByRole('button', { name: 'Archive' }).click()
    await act(page, 'Archive the audience')
    await page.getByText('Archived').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the audience')
    await page.waitForURL('**/audiences')
    await page.getByRole('link', { name: 'Weekly news' }).waitFor()
    await page.getByRole('link', { name: 'Événements' }).waitFor({ state: 'detached' })
    await page.goBack()
    await page.reload() // without an older answer about it
    const missing = page.locator('main').getByRole('alert', { name: 'There is nothing here' })
    await missing.getByText(/^Reference: /).waitFor()
    await page.getByRole('link', { name: 'Back to audiences' }).waitFor()
    const again = await holdAnswer(page, '**/newsletter/audiences/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await again.held
    await page.getByRole('button', { name: 'Trying again…' }).waitFor()
    await page.getByRole('link', { name: 'Back to audiences' }).waitFor({ timeout: 5_000 })
    again.release()
  })

  inBrowser('show the members of an audience over time, as a line and as a table', async () => {
    const page = await stage.signedIn('analyst')
    await open(page, `/audiences/${world.audienceId}`)
    const section = page.getByRole('region', { name: 'Members over time' })
    await section.getByText('Tomorrow this shows a line').waitFor()
    await addMemberDays(stage.services, world.audienceId)
    await page.reload()
    await section.getByText(/(more|fewer) than 30 days ago/).waitFor()
    await section.getByRole('img', { name: /^Active members from/ }).waitFor()
    await section.getByText('Table', { exact: true }).click()
    await page.waitForURL('**?view=table')
    await section.getByRole('row').nth(2).getByText('11').waitFor()
  })

  inBrowser(
    'show a time in UTC to the keyboard: one of the facts in its tooltip, those of a table with one key',
    async () => {
      const page = await stage.signedIn('analyst', { timezoneId: 'America/New_York' })
      await open(page, `/audiences/${world.audienceId}`)
      const table = page.getByRole('table', { name: 'Changes of consent' })
      await table.locator('time').first().waitFor()
      expect(await table.locator('time[tabindex]').count()).toBe(0)
      const created = page.getByRole('region', { name: 'About' }).locator('time')
      const tooltip = page.getByRole('tooltip')
      await page.getByRole('heading', { level: 1 }).click()
      const inUtc = `${await created.getAttribute('datetime')} (UTC)`
      for (let left = 60; left > 0 && !(await tooltip.getByText(inUtc).count()); left -= 1)
        await page.keyboard.press('Tab')
      await tooltip.getByText(inUtc).waitFor()
      await page.keyboard.press('Escape')

      await page.keyboard.press('u')
      await table.getByText(/UTC$/).first().waitFor()
      expect(await page.locator('main time').filter({ hasNotText: 'UTC' }).count()).toBe(0)
      await page.reload()
      await table.getByText(/UTC$/).first().waitFor()
      await page.getByRole('button', { name: /^analyst: colors/ }).click()
      await page.getByRole('menuitem', { name: 'Times in your zone' }).click()
      await table.getByText(/UTC$/).first().waitFor({ state: 'detached' })
    },
  )

  inBrowser('do nothing on a single key when the user turned these shortcuts off', async () => {
    const page = await stage.signedIn('analyst')
    await open(page, '/contacts')
    await page.getByRole('heading', { level: 1 }).click()
    await page.keyboard.press('Shift+?')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Shortcuts of a single key').uncheck()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('u')
    await page.keyboard.press('Shift+?')
    await page.keyboard.press('/')
    expect(await page.locator('input[type=search]:focus').count()).toBe(0)
    expect(await dialog.count()).toBe(0)
    await page.getByRole('button', { name: /^analyst: colors/ }).click()
    await page.getByRole('menuitem', { name: 'Shortcuts' }).click()
    await dialog.getByLabel('Shortcuts of a single key').check()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.locator('input[type=search]:focus').waitFor()
  })

  inBrowser('show a change although the list before it arrives later', async () => {
    const page = await stage.signedIn('owner')
    const before = await holdAnswer(page, '**/newsletter/tags')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await before.held
    await page.getByRole('button', { name: 'Register a tag' }).click()
    await page.getByLabel('Name').fill('patient')
    await act(page, 'Register it')
    before.release()
    await page.getByRole('row', { name: /^patient/ }).waitFor()
  })

  inBrowser('rename a tag and merge it into another', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page
      .getByRole('row', { name: /^london/ })
      .getByRole('button', { name: 'Rename' })
      .click()
    await page.getByText('will have the new name').waitFor()
    await page.getByLabel('New name').fill('england')
    await act(page, 'Rename it')
    await page
      .getByRole('row', { name: /^england/ })
      .getByRole('button', { name: 'Merge' })
      .click()
    await page.getByRole('combobox', { name: 'The tag that stays' }).click()
    await page.getByRole('option', { name: /^vip/ }).click()
    await act(page, 'Merge it')
    await page.getByRole('row', { name: /^england/ }).waitFor({ state: 'detached' })
  })

  inBrowser('show an analyst no button that changes something', async () => {
    const page = await stage.signedIn('analyst')
    await open(page, `/contacts/${world.contacts['Ada']}`)
    await page.getByRole('article', { name: 'Weekly news' }).getByText('Yes', { exact: true }).waitFor()
    for (const name of ['Edit', 'Suppress', 'Delete', 'Erase', 'Subscribe', 'Unsubscribe', 'Add a tag'])
      expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
  })

  inBrowser('scroll through a list of thousands with few rows in the page', async () => {
    await stage.services.stage.query(
      `insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select workspace_id, gen_random_uuid(), 'reader.' || n || '@many.example.com', 'reader.' || n || '@many.example.com'
       from contacts.contacts, generate_series(1, 3000) n where id = $1`,
      [world.contacts['Ada']],
    )
    const page = await stage.signedIn('owner')
    await open(page, '/contacts?search=reader')
    const last = page.getByText('These are all')
    const counts: number[] = []
    await until(async () => {
      await page.mouse.wheel(0, 20_000)
      counts.push(await page.getByRole('row').count())
      return (await last.count()) > 0
    })
    expect(Math.max(...counts)).toBeLessThan(160)
    const table = page.getByRole('table', { name: 'Contacts' })
    expect(await table.getAttribute('aria-rowcount')).toBe('3001')
    // The rows at the end are drawn after the list is complete.
    await until(async () => {
      await page.mouse.wheel(0, 20_000)
      return (await table.getByRole('row').last().getAttribute('aria-rowindex')) === '3001'
    })
  })

  inBrowser(
    'say below a long list that its next page did not come, and ask for it once more only by a click',
    async () => {
      const page = await stage.signedIn('owner')
      let isDown = true
      let asked = 0
      await page.route('**/contacts?*cursor=*', (route) => {
        asked += 1
        return isDown ? route.abort() : route.fallback()
      })
      await open(page, '/contacts?search=reader')
      const failure = page.locator('main').getByText('No answer arrived')
      await until(async () => {
        await page.mouse.wheel(0, 20_000)
        return (await failure.count()) > 0
      })
      const before = asked
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
      expect([asked, await failure.count()]).toEqual([before, 1])
      isDown = false
      await page.locator('main').getByRole('button', { name: 'Try again' }).click()
      await failure.waitFor({ state: 'detached' })
      await until(async () => asked > before + 1)
    },
  )

  inBrowser('read again only what is in the window after a change in a long list, and stay at its place', async () => {
    await stage.services.stage.query(
      `insert into contacts.suppressions (workspace_id, id, contact_id, scope, reason, source, actor)
       select workspace_id, gen_random_uuid(), id, 'workspace', 'manual', 'support', 'owner' from contacts.contacts
       where email like 'reader.%@many.example.com' order by email limit 900`,
    )
    const page = await stage.signedIn('owner')
    await open(page, '/suppressions?search=reader&state=unresolved')
    await until(async () => {
      await page.mouse.wheel(0, 20_000)
      return (await page.getByText('These are all').count()) > 0
    })
    const table = page.getByRole('table', { name: 'Suppressions' })
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
    // The row in the middle of the window stays there while others are drawn.
    let address = ''
    await until(async () => {
      address = await page.evaluate<string>(
        `document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('tr[data-index]')?.querySelector('a')?.textContent ?? ''`,
      )
      return address !== ''
    })
    const inMiddle = page.getByRole('link', { name: address, exact: true })
    const middle = table.locator('tr[data-index]').filter({ has: inMiddle })
    const place = await page.evaluate<number>('scrollY')
    const reads: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/suppressions?')) reads.push(request.url())
    })
    await middle.getByRole('button', { name: 'Resolve' }).click()
    await page.getByRole('dialog').getByLabel('Why is this right?').fill('It was a mistake')
    await act(page, 'Resolve it')
    await table.getByRole('link', { name: address, exact: true }).waitFor({ state: 'detached' })
    await page.waitForLoadState('networkidle')
    expect(reads.length).toBeLessThan(6)
    expect(await table.getAttribute('aria-rowcount')).toBe('900')
    expect(Math.abs((await page.evaluate<number>('scrollY')) - place)).toBeLessThan(100)
    // A page that was not in the window is read when it comes into it.
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 4)')
    const count = reads.length
    await until(async () => reads.length > count)
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
