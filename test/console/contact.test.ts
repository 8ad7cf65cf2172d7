// This file has over 300 lines because its tests share one started set of services.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, holdAnswer, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { atConsole, openWorld, workspace, type ConsoleWorld } from './world.ts'

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

/** Adds a contact on the page of contacts, and waits for the page of the new one. */
async function addContact(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a contact' }).click()
  await page.getByRole('dialog').getByLabel('Email address').fill(email)
  await act(page, 'Save the contact')
  await page.getByRole('heading', { level: 1, name: email }).waitFor()
}

describe('the page of a contact', () => {
  inBrowser('gives and takes tags', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${world.contacts['Donald']}` })
    const profile = page.getByRole('region', { name: 'Profile' })
    await profile.getByText('none', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add a tag' }).click()
    await choose(page, 'Tag', 'vip')
    await act(page, 'Add a tag')
    await profile.getByText('vip', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove a tag' }).click()
    await choose(page, 'Tag', 'vip')
    await act(page, 'Remove a tag')
    await profile.getByText('none', { exact: true }).waitFor()
  })

  inBrowser('suppresses an address for every organization', async () => {
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/contacts/${world.contacts['Edsger']}` })
    await page.getByRole('button', { name: 'Suppress' }).click()
    await page.getByText('no workspace of this platform mails the address').waitFor()
    const dialog = page.getByRole('dialog')
    const suppress = dialog.getByRole('button', { name: 'Suppress the contact' })
    expect(await dialog.getByRole('combobox', { name: 'Audience' }).count()).toBe(0)
    await choose(page, 'Scope', 'One audience')
    await dialog.getByRole('combobox', { name: 'Audience' }).waitFor()
    expect(await suppress.isDisabled()).toBe(true)
    await choose(page, 'Scope', 'Every organization')
    await dialog.getByRole('combobox', { name: 'Audience' }).waitFor({ state: 'detached' })
    await act(page, 'Suppress the contact')
    await page.getByText('It is suppressed for every organization of the platform').waitFor()
  })

  inBrowser('exports the consent proof', async () => {
    const page = await stage.signedIn('owner', { at: `/w/acme/newsletter/contacts/${world.contacts['Ada']}` })
    await page.getByRole('button', { name: 'Consent proof' }).click()
    const file = page.waitForEvent('download')
    await act(page, 'Download the proof')
    const proof: unknown = JSON.parse(await readFile(await (await file).path(), 'utf8'))
    expect(JSON.stringify(proof)).toContain(world.contacts['Ada'])
  })

  inBrowser('creates a preference link that opens the page of the person', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${world.contacts['Ada']}` })
    await page.getByRole('button', { name: 'Create a preference link' }).click()
    await act(page, 'Create the link')
    const notice = page.getByRole('status').filter({ hasText: 'Give this link to nobody else' })
    const link = new URL((await notice.locator('code').textContent())!)
    const answer = await fetch(`${stage.services.baseUrl}${link.pathname}`, { headers: { accept: 'text/html' } })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Acme')])
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await notice.waitFor({ state: 'detached' })
  })

  inBrowser('shows the preference link of one contact on the page of no other one', async () => {
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${world.contacts['Grace']}` })
    await page.getByRole('heading', { level: 1, name: /^grace@/ }).waitFor()
    await page.getByRole('link', { name: 'Contacts', exact: true }).click()
    await page.getByRole('link', { name: /^ada@/ }).click()
    await page.getByRole('button', { name: 'Create a preference link' }).click()
    await act(page, 'Create the link')
    const notice = page.getByRole('status').filter({ hasText: 'Give this link to nobody else' })
    await notice.waitFor()
    page.once('dialog', (question) => void question.accept())
    await page.evaluate('history.go(-2)')
    await page.getByRole('heading', { level: 1, name: /^grace@/ }).waitFor()
    await page.getByRole('button', { name: 'Create a preference link' }).waitFor()
    expect(await notice.count()).toBe(0)
  })

  inBrowser('says that the fields of the profile could not be read, and reads them again', async () => {
    const page = await stage.signedIn('editor')
    await page.route('**/newsletter/contact-field-definitions', (route) => route.abort())
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts/${world.contacts['Ada']}`)
    const failure = page.getByRole('alert').filter({ hasText: 'No answer arrived' })
    await failure.waitFor({ timeout: 30_000 })
    await page.unroute('**/newsletter/contact-field-definitions')
    await failure.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').getByLabel('First name').waitFor()
    await failure.waitFor({ state: 'detached' })
  })

  inBrowser('says before a deletion which contacts cannot be deleted', async () => {
    const page = await stage.signedIn('owner')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts/${world.contacts['Tony']}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByText('It is refused when the contact was ever suppressed, or when an email was made for it.')
      .waitFor({ timeout: 30_000 })
    await page.getByRole('button', { name: 'Delete the contact' }).click()
    await page
      .getByRole('alert', { name: 'This contact cannot be deleted' })
      .getByText('It is suppressed or was')
      .waitFor()
  })

  inBrowser('does not say of a refused read that nothing was changed', async () => {
    const page = await stage.signedIn('owner')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts?audience_id=x`)
    await page.getByRole('alert').getByText('This request was refused', { exact: true }).waitFor({ timeout: 30_000 })
  })

  inBrowser('adds a contact and deletes it', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Contacts' }).click()
    await addContact(page, 'new@people.example.com')
    const ofContact = `**/newsletter${new URL(page.url()).pathname.split('/newsletter')[1]}`
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the contact')
    await page.waitForURL('**/contacts')
    await page.getByRole('link', { name: 'ada@people.example.com' }).waitFor()
    await page.getByRole('link', { name: 'new@people.example.com' }).waitFor({ state: 'detached' })
    const answer = await holdAnswer(page, ofContact)
    await page.goBack()
    await answer.held
    expect(await page.getByText('new@people.example.com').count()).toBe(0)
    answer.release()
    await page.getByText('There is nothing here').waitFor()
  })

  inBrowser('shows nothing of a contact whose deletion is answered after the dialog was closed', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/contacts' })
    await addContact(page, 'brief@people.example.com')
    const answer = await holdAnswer(page, `**/newsletter${new URL(page.url()).pathname.split('/newsletter')[1]}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the contact' }).click()
    await answer.held
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    answer.release()
    await page.getByText('There is nothing here').waitFor()
    expect(await page.getByText('brief@people.example.com').count()).toBe(0)
  })

  inBrowser('does not add a contact again that somebody deleted while it was edited', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/contacts' })
    await addContact(page, 'gone@people.example.com')
    const id = new URL(page.url()).pathname.split('/').at(-1)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('dialog').getByLabel('First name').fill('Back')
    const other = await stage.services.inBrowser('owner')
    await other.ok('DELETE', `${atConsole}/contacts/${id}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('There is nothing here').waitFor()
    const found = await stage.services.stage.query(
      `select 1 from contacts.contacts where normalized_email = 'gone@people.example.com'`,
    )
    expect(found).toEqual([])
  })

  inBrowser('does not change a contact that has the address already', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/contacts' })
    await page.getByRole('button', { name: 'Add a contact' }).click()
    await page.getByRole('dialog').getByLabel('Email address').fill('ADA@people.example.com')
    await page.getByRole('dialog').getByLabel('First name').fill('Wrong')
    await page.getByRole('button', { name: 'Save the contact' }).click()
    await page.getByRole('dialog').getByText('This contact exists already').waitFor()
    const [ada] = await stage.services.stage.query<{ first_name: string }>(
      `select first_name from contacts.contacts where id = $1`,
      [world.contacts['Ada']],
    )
    expect(ada).toEqual({ first_name: 'Ada' })
    await page.getByRole('dialog').getByRole('link', { name: 'Open ada@people.example.com' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add a contact' }).click()
    const address = page.getByRole('dialog').getByLabel('Email address')
    await address.and(page.locator(':focus')).waitFor()
    expect(await page.getByRole('dialog').getByRole('link').count()).toBe(0)
    await address.fill('ada@people.example.com')
    await address.press('Enter')
    await page.getByRole('dialog').getByRole('link', { name: 'Open ada@people.example.com' }).click()
    await page.waitForURL(`**/contacts/${world.contacts['Ada']}`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  inBrowser('knows an address in any spelling of its domain', async () => {
    const page = await stage.signedIn('owner', { at: '/w/acme/newsletter/contacts' })
    const add = async (address: string) => {
      await page.getByRole('button', { name: 'Add a contact' }).click()
      await page.getByRole('dialog').getByLabel('Email address').fill(address)
      await page.getByRole('button', { name: 'Save the contact' }).click()
    }
    await add('konrad@MÜNCHEN.example')
    await page.getByRole('heading', { level: 1, name: /^konrad/ }).waitFor()
    for (const address of ['konrad@xn--mnchen-3ya.example', ' Konrad@münchen.example']) {
      await page.getByRole('link', { name: 'Contacts', exact: true }).click()
      await add(address)
      await page.getByRole('dialog').getByText('This contact exists already').waitFor()
      await page.keyboard.press('Escape')
    }
    await page.getByRole('link', { name: /^konrad/ }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await act(page, 'Delete the contact')
    await page.waitForURL('**/contacts')
  })

  inBrowser('shows a field that was defined in the console', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Tags and fields' }).click()
    await page.getByRole('button', { name: 'Define a field' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Key').fill('Shoe size!')
    await dialog.getByLabel('Name').fill('Shoe size')
    await choose(page, 'Type', 'Integer')
    await dialog.getByRole('button', { name: 'Define it' }).click()
    await dialog
      .getByRole('alert')
      .getByText(/^Key must /)
      .waitFor()
    await dialog.getByLabel('Key').fill('shoe_size')
    await act(page, 'Define it')
    await page.getByRole('row', { name: /^Shoe size shoe_size Integer/ }).waitFor()
    const define = async (type: RegExp) => {
      await page.getByRole('button', { name: 'Define a field' }).click()
      await dialog.getByLabel('Key').fill('story')
      await dialog.getByLabel('Name').fill('Story')
      await choose(page, 'Type', type)
    }
    await define(/^Long text$/)
    await act(page, 'Define it')
    await define(/^Date$/)
    await dialog.getByRole('button', { name: 'Define it' }).click()
    await dialog.getByText('defined as Long text already, and a field keeps its type. Choose another Key.').waitFor()
  })

  inBrowser('changes and clears the profile and custom fields of a contact', async () => {
    for (const [key, type, options] of [
      ['member_since', 'date', []],
      ['keen', 'boolean', []],
      ['interests', 'multiple_choice', ['chess', 'music']],
    ] as const)
      await world.owner.ok('POST', `${workspace}/contact-field-definitions`, {
        field_key: key,
        label: `Own ${key}`,
        field_type: type,
        ...(options.length > 0 ? { options } : {}),
      })
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${world.contacts['Grace']}` })
    const profile = page.getByRole('region', { name: 'Profile' })
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Language').fill('en')
    await dialog.getByLabel('Shoe size').fill('41')
    await dialog.getByLabel('Own member_since').fill('2020-02-29')
    await choose(page, 'Own keen', 'Yes')
    await choose(page, 'Own interests', 'music')
    await page.keyboard.press('Escape')
    await act(page, 'Save')
    await profile.getByText('music', { exact: true }).waitFor()
    const stored = async () => {
      const lookup = `${workspace}/contacts/lookup?email=grace@people.example.com`
      return (await world.owner.ok<{ contact: Record<string, unknown> }>('GET', lookup)).contact
    }
    const custom = { shoe_size: 41, member_since: '2020-02-29', keen: true, interests: ['music'] }
    expect(await stored()).toMatchObject({ first_name: 'Grace', custom_fields: custom })

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await dialog.getByLabel('Shoe size').fill('')
    await act(page, 'Save')
    await profile.getByText('41', { exact: true }).waitFor({ state: 'detached' })
    expect((await stored())['custom_fields']).toEqual({ member_since: '2020-02-29', keen: true, interests: ['music'] })
  })

  inBrowser(
    'shows the evidence of a consent in words, and leads back to the list if there is no such contact',
    async () => {
      const page = await stage.signedIn('analyst')
      await world.owner.ok('POST', `${workspace}/audiences/${world.otherAudienceId}/subscribe`, {
        contact_id: world.contacts['Alan'],
        source: 'form',
        wording_version: 'footer-2026-01',
        evidence: { note: 'on paper', asked_at: '2026-03-05T09:00:00Z', form: { page: 'footer' } },
      })
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts/${world.contacts['Alan']}`)
      const evidence = page.getByRole('group', { name: 'Evidence' }).filter({ hasText: 'on paper' })
      await evidence.getByText('Form, page').waitFor()
      await evidence.locator('time').waitFor()
      expect(await evidence.innerText()).not.toContain('{')

      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts/${randomUUID()}`)
      await page.getByRole('link', { name: 'Back to contacts' }).click()
      await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
    },
  )

  inBrowser('documents the consent of an older system, which makes the contact eligible', async () => {
    const { contact } = await world.owner.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email: 'old@people.example.com',
      source: 'import',
      is_legacy: true,
      legacy_consent_evidence: { list: 'readers of 2019' },
    })
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${contact.id}` })
    const legacy = page.getByRole('region', { name: 'Consent of an older system' })
    await legacy.getByText('Not documented').waitFor()
    await legacy.getByRole('button', { name: 'Document the consent' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Date of the consent').fill('2019-05-03')
    await dialog.getByLabel('Source').fill('paper form')
    await dialog.getByLabel('Wording').fill('Yes, write to me.')
    await act(page, 'Store the evidence')
    await legacy.getByText('Documented: the date').waitFor()
    await legacy.getByText('readers of 2019').waitFor()
    await legacy.getByText('Yes, write to me.').waitFor()
    await legacy.getByRole('button', { name: 'Not from an older system' }).click()
    await act(page, 'Remove the mark')
    await legacy.waitFor({ state: 'detached' })
  })

  inBrowser('withdraws a consent that is under review', async () => {
    const id = world.contacts['Grace']!
    await stage.services.stage.query(
      `update contacts.memberships set under_review_since = now() where contact_id = $1 and is_active`,
      [id],
    )
    const page = await stage.signedIn('editor', { at: `/w/acme/newsletter/contacts/${id}` })
    const audience = page.getByRole('article').filter({ has: page.getByRole('button', { name: 'Unsubscribe' }) })
    await audience.first().getByRole('button', { name: 'Subscribe', exact: true }).waitFor()
    await audience.first().getByRole('button', { name: 'Unsubscribe' }).click()
    await act(page, 'Unsubscribe')
    await page.getByText('consent withdrawn').first().waitFor()
  })

  inBrowser('shows custom fields by their labels, apart from what every contact has', async () => {
    for (const [field_key, label] of [
      ['boot_size', 'Stiefelgröße (EU)'],
      ['phone', 'Phone'],
    ])
      await world.owner.ok('POST', `${workspace}/contact-field-definitions`, { field_key, label, field_type: 'text' })
    const { contact } = await world.owner.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
      email: 'fields@people.example.com',
      source: 'form',
      phone: '+43 1 234',
      custom_fields: { boot_size: '38', phone: 'the red one' },
    })
    const page = await stage.signedIn('editor')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/contacts/${contact.id}`)
    const profile = page.getByRole('region', { name: 'Profile' })
    await profile.getByText('Stiefelgröße (EU)').waitFor()
    expect((await profile.locator('dl > div').allInnerTexts()).map((fact) => fact.replace('\n', ': '))).toEqual(
      expect.arrayContaining(['Phone: +43 1 234', 'Stiefelgröße (EU): 38', 'Phone (custom field phone): the red one']),
    )
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    expect(await page.getByRole('dialog').getByLabel('Phone (custom field phone)').inputValue()).toBe('the red one')
  })

  inBrowser('makes no exception and breaks no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
