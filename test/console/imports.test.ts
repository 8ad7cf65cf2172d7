// This file has over 300 lines because its tests share one started set of services.
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { openWorld, workspace, type ConsoleWorld } from './world.ts'

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

const file = {
  name: 'people.csv',
  mimeType: 'application/vnd.ms-excel',
  buffer: Buffer.from(
    'E-Mail,First name,Colour\nmary@people.example.com,Mary,red\ntony@people.example.com,Tony,blue\nnobody,No,green\n',
  ),
}

const upload = async (page: Page, name: string, rows: string) => {
  await page.getByRole('link', { name: 'Imports' }).click()
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(rows) })
  await choose(page, 'Audience', 'Weekly news')
  await page.getByLabel('Where it comes from').fill('Old system')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe('the pages of imports', () => {
  inBrowser('upload a file, map it, show its report, apply it after the exact text, and reconcile it', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.locator('input[type=file]').setInputFiles(file)
    await choose(page, 'Audience', 'Weekly news')
    await page.getByLabel('Where it comes from').fill('Old system')
    await page.getByRole('button', { name: 'Upload' }).click()

    await page.getByRole('heading', { level: 1, name: 'people.csv' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'E-Mail' }).inputValue()).toBe('Email')
    expect(await page.getByRole('combobox', { name: 'Colour' }).inputValue()).toBe('Leave it out')
    await page.getByLabel('Everybody in the file agreed').check()
    await page.getByLabel('Basis of the consent').fill('double opt-in')
    await page.getByLabel('Where it was given').fill('https://www.acme.test')
    await page.getByLabel('Version of the wording').fill('footer-2025')
    await page.getByLabel('Where the evidence is kept').fill('export 17')
    await page.getByRole('button', { name: 'Start the dry run' }).click()

    const report = page.getByRole('region', { name: 'Report of the dry run' })
    await report.getByText(/Consent is recorded: 1/).waitFor()
    await report.getByText(/Cannot be read: 1/).waitFor()
    await report.getByRole('row', { name: /Suppressed for this workspace/ }).waitFor()

    await page.getByRole('link', { name: 'Home' }).click()
    const line = page.getByRole('region', { name: 'This needs you' }).getByRole('listitem')
    await line.filter({ hasText: 'read its report, then approve it' }).getByRole('link', { name: 'people.csv' }).click()

    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    const id = page.url().split('/').at(-1)!
    const phrase = page.getByRole('dialog').getByLabel(/^Type APPLY CSV IMPORT/)
    await phrase.fill(`APPLY CSV IMPORT ${id} TO acme/product`)
    expect(await page.getByRole('button', { name: 'Approve and apply' }).isDisabled()).toBe(true)
    await phrase.fill(`APPLY CSV IMPORT ${id} TO acme/newsletter`)
    await act(page, 'Approve and apply')
    await page.getByText('It did what the report said').waitFor()
    await page.getByText('Destroyed with its key').waitFor()
  })

  inBrowser('show a second person what is imported, before the approval and after the file is destroyed', async () => {
    const first = await stage.signedIn('editor')
    await upload(
      first,
      'shop.csv',
      'E-Mail,Given name,Colour\nkim@people.example.com,Kim,red\nlee@people.example.com,Lee,\n',
    )
    await first.getByRole('region', { name: 'What is imported' }).getByRole('link', { name: 'Weekly news' }).waitFor()
    await first.getByLabel('Everybody in the file agreed').check()
    await first.getByLabel('Basis of the consent').fill('double opt-in')
    await first.getByLabel('Where it was given').fill('https://shop.acme.test')
    await first.getByLabel('Version of the wording').fill('footer-2025')
    await first.getByLabel('Where the evidence is kept').fill('export 17')
    await first.getByRole('button', { name: 'Start the dry run' }).click()
    await first.getByText('Next: Read the report, then approve it').waitFor()

    const second = await stage.signedIn('owner')
    await second.getByRole('link', { name: 'Imports' }).click()
    const line = second.getByRole('row', { name: /shop\.csv/ })
    await line.getByText('Weekly news').waitFor()
    await line.getByRole('link', { name: 'shop.csv' }).click()
    const shown = second.getByRole('region', { name: 'What is imported' })
    const isShown = async () => {
      await shown.getByRole('link', { name: 'Weekly news' }).waitFor()
      await shown.getByRole('row', { name: 'E-Mail Email' }).waitFor()
      await shown.getByRole('row', { name: 'Given name First name' }).waitFor()
      const text = await shown.innerText()
      for (const part of [
        'Everybody in the file agreed',
        'double opt-in',
        'shop.acme.test',
        'footer-2025',
        'export 17',
      ])
        expect(text).toContain(part)
      expect(text).toMatch(/Left out\s+Colour/)
    }
    await isShown()
    await second.getByRole('button', { name: 'Approve', exact: true }).click()
    const asked = await second.getByRole('dialog').innerText()
    for (const part of [
      'Weekly news',
      'Everybody in the file agreed',
      '2 people are subscribed',
      'double opt-in',
      'footer-2025',
    ])
      expect(asked).toContain(part)
    const phrase = `APPLY CSV IMPORT ${second.url().split('/').at(-1)} TO acme/newsletter`
    await second
      .getByRole('dialog')
      .getByLabel(/^Type APPLY CSV IMPORT/)
      .fill(phrase)
    await act(second, 'Approve and apply')
    await second.getByText('Destroyed with its key').waitFor()
    await isShown()
  })

  inBrowser('start no dry run before the custom fields are read, whose columns would be left out', async () => {
    await world.owner.ok('POST', `${workspace}/contact-field-definitions`, {
      field_key: 'shoe_size',
      label: 'Shoe size',
      field_type: 'text',
    })
    const page = await stage.signedIn('editor')
    await page.route('**/newsletter/contact-field-definitions', (route) => route.fulfill({ status: 500 }))
    await upload(page, 'fields.csv', 'E-Mail,Shoe size\numa@people.example.com,40\n')
    const mapping = page.getByRole('region', { name: 'What is each column?' })
    const start = mapping.getByRole('button', { name: 'Start the dry run' })
    await mapping.getByRole('alert').waitFor()
    expect(await start.isDisabled()).toBe(true)
    await page.unroute('**/newsletter/contact-field-definitions')
    await mapping.getByRole('button', { name: 'Try again' }).click()
    await mapping.getByRole('alert').waitFor({ state: 'detached' })
    await mapping.locator('[role=combobox][value="Shoe size"]').waitFor()
    expect(await start.isDisabled()).toBe(false)
  })

  inBrowser('ask before a mapping that is not saved is left', async () => {
    const page = await stage.signedIn('editor')
    await upload(page, 'unsaved.csv', 'E-Mail,Colour\numa@people.example.com,red\n')
    const asked: string[] = []
    page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.dismiss()
    })
    await page.getByLabel('Everybody in the file agreed').check()
    await page.getByLabel('Basis of the consent').fill('double opt-in')
    await page.getByRole('link', { name: 'Home' }).click()
    await until(() => Promise.resolve(asked.length > 0), { what: 'the question' })
    expect(asked[0]).toContain('not saved')
    await page.getByRole('heading', { level: 1, name: 'unsaved.csv' }).waitFor()
    expect(await page.getByLabel('Basis of the consent').inputValue()).toBe('double opt-in')

    await page.getByLabel('Nobody is subscribed').check()
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    await page.getByText('Next: Read the report, then approve it').waitFor()
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    expect(asked).toHaveLength(1)
  })

  inBrowser('ask for no evidence, and show none, for a file that subscribes nobody', async () => {
    const page = await stage.signedIn('owner')
    await upload(page, 'left.csv', 'E-Mail\nron@people.example.com\n')
    const basis = page.getByLabel('Basis of the consent')
    await page.getByLabel('A column says who is subscribed').check()
    await page.getByText(/no column is mapped to the status/).waitFor()
    expect(await basis.count()).toBe(0)
    await page.getByLabel('Everybody in the file agreed').check()
    await choose(page, 'What every row means', 'Unsubscribed')
    // The API refuses this policy without it, whatever the rows say.
    await basis.fill('double opt-in')
    await page.getByText(/Without evidence, choose “Nobody is subscribed”/).waitFor()
    await page.getByLabel('Where it was given').fill('https://www.acme.test')
    await page.getByLabel('Version of the wording').fill('footer-2025')
    await page.getByLabel('Where the evidence is kept').fill('export 17')
    const shown = page.getByRole('region', { name: 'What is imported' })
    const isReviewed = async (policy: string) => {
      await page.getByRole('button', { name: 'Start the dry run' }).click()
      await page.getByText('Next: Read the report, then approve it').waitFor()
      await shown.getByText(policy).waitFor()
      expect(await shown.innerText()).not.toContain('double opt-in')
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('This import subscribes nobody.').waitFor()
      expect(await dialog.innerText()).not.toContain('double opt-in')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    }
    await isReviewed('Everybody in the file agreed')
    await page.getByRole('button', { name: 'Map the columns again' }).click()
    await page.getByLabel('Nobody is subscribed').check()
    await basis.waitFor({ state: 'detached' })
    await isReviewed('Nobody is subscribed')
    const [job] = await stage.services.stage.query<{ policy: object }>(
      'select policy from imports.import_jobs where id = $1',
      [page.url().split('/').at(-1)],
    )
    expect(job!.policy).toEqual({ default_status: 'unsubscribed' })
  })

  inBrowser(
    'say in the approval what becomes of the columns, which tags are given and how many rows wait',
    async () => {
      const page = await stage.signedIn('owner')
      await upload(
        page,
        'wait.csv',
        'E-Mail,Given name,Colour\nsue@people.example.com,Sue,red\nsid@people.example.com,Sid,\n',
      )
      const tags = page.getByRole('combobox', { name: 'Tags for every contact' })
      for (const tag of ['old shop', 'asked']) {
        await tags.fill(tag)
        await tags.press('Enter')
      }
      await page.getByRole('button', { name: 'Start the dry run' }).click()
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      const asked = await page.getByRole('dialog').innerText()
      for (const part of [
        'The columns: E-Mail → Email, Given name → First name.',
        'Left out: Colour.',
        'Every contact gets the tags “old shop”, “asked”.',
        '2 rows go under review',
      ])
        expect(asked).toContain(part)
    },
  )

  inBrowser('go back from mapping again without a change', async () => {
    const page = await stage.signedIn('owner')
    await upload(page, 'back.csv', 'E-Mail,Given name\nvic@people.example.com,Vic\n')
    expect(await page.getByRole('button', { name: 'Keep the mapping as it is' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    const again = page.getByRole('button', { name: 'Map the columns again' })
    await again.click()
    await choose(page, 'Given name', 'Last name')
    const keep = page.getByRole('button', { name: 'Keep the mapping as it is' })
    const questions: string[] = []
    page.once('dialog', (dialog) => {
      questions.push(dialog.message())
      void dialog.dismiss()
    })
    await keep.press('Enter')
    expect(questions).toEqual(['What you changed is not saved. Close the form, and lose it?'])
    expect(await page.getByRole('combobox', { name: 'Given name' }).inputValue()).toBe('Last name')
    page.once('dialog', (dialog) => void dialog.accept())
    await keep.press('Enter')
    const shown = page.getByRole('region', { name: 'What is imported' })
    await shown.getByRole('row', { name: 'Given name First name' }).waitFor()
    await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    await again.and(page.locator(':focus')).waitFor()
    await again.click()
    expect(await page.getByRole('combobox', { name: 'Given name' }).inputValue()).toBe('First name')
    const other = await stage.services.inBrowser('admin')
    const job = page.url().split('/').at(-1)
    await other.ok('POST', `/api/v1/organizations/acme/workspaces/newsletter/imports/csv/${job}/cancel`)
    await page.getByRole('button', { name: 'Start the dry run' }).waitFor({ state: 'detached' })
  })

  inBrowser('take at most 50 tags for every contact', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.locator('input[type=file]').setInputFiles({ ...file, name: 'tagged.csv' })
    await choose(page, 'Audience', 'Weekly news')
    await page.getByLabel('Where it comes from').fill('Old system')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { level: 1, name: 'tagged.csv' }).waitFor()
    const tags = page.getByRole('combobox', { name: 'Tags for every contact' })
    for (let n = 0; n < 51; n += 1) {
      await tags.fill(`tag-${n}`)
      await tags.press('Enter')
    }
    await page.getByText('tag-49', { exact: true }).waitFor()
    expect(await page.getByText('tag-50', { exact: true }).count()).toBe(0)
  })

  inBrowser('map a file by a profile, and columns with the same name by their places', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Imports' }).click()
    const members =
      'email,Name,Name,subscribed_to_emails\nann@people.example.com,Ann,Lee,false\nbob@people.example.com,Bob,Ray,off\n'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(members) })
    await choose(page, 'Audience', 'Product news')
    await page.getByLabel('Where it comes from').fill('Ghost')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { level: 1, name: 'members.csv' }).waitFor()
    await choose(page, 'Profile', 'Ghost members')
    const target = (column: string) => page.getByRole('combobox', { name: column, exact: true }).inputValue()
    expect(await target('subscribed_to_emails')).toBe('Status')
    await choose(page, 'Name (column 3)', 'Last name')
    await choose(page, 'Name (column 2)', 'First name')
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    const report = page.getByRole('region', { name: 'Report of the dry run' })
    await report.getByText(/Is suppressed: 1/).waitFor()
    await report.getByRole('row', { name: /Status unknown/ }).waitFor()

    await page.getByRole('button', { name: 'Map the columns again' }).click()
    const meanings = page.getByLabel('What the cells of the status mean')
    expect(await meanings.inputValue()).toContain('false = unsubscribed')
    expect(await target('Name (column 3)')).toBe('Last name')
    await meanings.fill(`${await meanings.inputValue()}\noff = unsubscribed`)
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    await report.getByText(/Is suppressed: 2/).waitFor()
  })

  inBrowser('show the evidence of a profile, which can be changed and left out', async () => {
    const page = await stage.signedIn('editor')
    const basis = page.getByLabel('Basis of the consent')
    const wording = page.getByLabel('Version of the wording')
    const policyOf = async () => {
      await page.getByRole('button', { name: 'Start the dry run' }).click()
      await page.getByText('Next: Read the report, then approve it').waitFor()
      const [job] = await stage.services.stage.query<{ policy: object }>(
        'select policy from imports.import_jobs where id = $1',
        [page.url().split('/').at(-1)],
      )
      return job!.policy
    }
    await upload(page, 'proven.csv', 'E-Mail,Status\nliv@people.example.com,subscribed\n')
    await page.getByLabel('A column says who is subscribed').check()
    await basis.fill('double opt-in')
    await wording.fill('footer-2025')
    await page.getByLabel('Save as a profile').fill('With evidence')
    expect(await policyOf()).toMatchObject({ consent_basis: 'double opt-in', wording_version: 'footer-2025' })

    await upload(page, 'same-kind.csv', 'E-Mail,Status\nmia@people.example.com,subscribed\n')
    await page.getByLabel('A column says who is subscribed').check()
    await basis.fill('typed before')
    await page.getByLabel('Where it was given').fill('https://www.acme.test')
    await choose(page, 'Profile', 'With evidence')
    expect(await page.getByLabel('Where it was given').inputValue()).toBe('https://www.acme.test')
    expect(await basis.inputValue()).toBe('double opt-in')
    await wording.fill('')
    expect(await policyOf()).toEqual(expect.not.objectContaining({ wording_version: expect.anything() }))
    await page.getByRole('region', { name: 'What is imported' }).getByText('double opt-in').waitFor()
  })

  inBrowser('give rows without a status a status, and every contact a tag, and say what follows', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Imports' }).click()
    const rows = 'email,status\neve@people.example.com,\nfay@people.example.com,subscribed\n'
    await page.getByRole('region', { name: 'Upload a file' }).locator('form').waitFor()
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(rows)}], 'no-status.csv', { type: 'text/csv' }))
      document.querySelector('main form').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
    await page.getByRole('button', { name: 'CSV file' }).getByText('no-status.csv').waitFor()
    await choose(page, 'Audience', 'Product news')
    await page.getByLabel('Where it comes from').fill('Old list')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { level: 1, name: 'no-status.csv' }).waitFor()

    await page.getByLabel('A column says who is subscribed').check()
    await page.getByText(/no consent is recorded for them.*an empty cell never is/).waitFor()
    await choose(page, 'What an empty status means', /^Subscribed$/)
    await page.getByText(/no consent is recorded for them.*an empty cell never is/).waitFor()
    const tags = page.getByRole('combobox', { name: 'Tags for every contact' })
    await tags.fill('old list')
    await tags.press('Enter')
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    const report = page.getByRole('region', { name: 'Report of the dry run' })
    await report.getByText(/Consent is recorded: 1/).waitFor()
    await report.getByRole('row', { name: /No status/ }).waitFor()
    const policyOf = async () =>
      (
        await stage.services.stage.query<{ policy: unknown }>('select policy from imports.import_jobs where id = $1', [
          page.url().split('/').at(-1),
        ])
      )[0]!.policy
    expect(await policyOf()).toMatchObject({ default_status: 'subscribed', static_tags: ['old list'] })

    await page.getByRole('button', { name: 'Map the columns again' }).click()
    await choose(page, 'What an empty status means', 'Unsubscribed')
    await page.getByText(/They leave this audience/).waitFor()
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    await report.getByText(/Is suppressed: 1/).waitFor()
    expect(await policyOf()).toMatchObject({ default_status: 'unsubscribed', static_tags: ['old list'] })

    await page.getByRole('button', { name: 'Map the columns again' }).click()
    await choose(page, 'Profile', 'Mailchimp, cleaned')
    await page.getByText(/They get no email of this workspace any more/).waitFor()
    await choose(page, 'What every row means', 'Nothing')
    await page.getByText(/A person reviews each|The evidence below|no column is mapped/).waitFor()
  })

  inBrowser('retry an import that failed', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.locator('input[type=file]').setInputFiles({ ...file, name: 'again.csv' })
    await choose(page, 'Audience', 'Product news')
    await page.getByLabel('Where it comes from').fill('Old system')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { level: 1, name: 'again.csv' }).waitFor()
    await page.getByRole('button', { name: 'Start the dry run' }).click()
    const review = page.getByText('Next: Read the report, then approve it')
    await review.waitFor()
    await stage.services.stage.query(
      `update imports.import_jobs set status = 'failed', error = '{"reason": "internal", "message": "It broke."}' where id = $1`,
      [page.url().split('/').at(-1)],
    )
    await page.reload()
    await page.getByText('Next: Read why, then retry or cancel').waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await act(page, 'Retry')
    await review.waitFor()
  })

  inBrowser('cancel an import', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Imports' }).click()
    await page.locator('input[type=file]').setInputFiles({ ...file, name: 'wrong.csv' })
    await choose(page, 'Audience', 'Product news')
    await page.getByLabel('Where it comes from').fill('Wrong')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('heading', { level: 1, name: 'wrong.csv' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await act(page, 'Cancel the import')
    await page.getByText('Next: Cancelled').waitFor()
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
