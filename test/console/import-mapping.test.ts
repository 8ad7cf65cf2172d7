import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { choose, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addImport, openWorld, workspace, type ConsoleWorld } from './world.ts'

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

const phone = { width: 375, height: 800 }

const open = (page: Page, id: string) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/imports/${id}`)
const startDryRun = (page: Page) => page.getByRole('button', { name: 'Start the dry run' }).click()
const isReviewed = (page: Page) => page.getByText('Next: Read the report, then approve it').waitFor()
/** The form is closed, and the dry run has ended. */
const isReportedAgain = (page: Page) => page.getByRole('region', { name: 'Approval' }).waitFor()
const meanwhile = (page: Page) => page.getByRole('alert').filter({ hasText: 'Somebody mapped this file' })
const target = (page: Page, column: string) => page.getByRole('combobox', { name: column, exact: true }).inputValue()

async function addTag(page: Page, tag: string): Promise<void> {
  const tags = page.getByRole('combobox', { name: 'Tags for every contact' })
  await tags.fill(tag)
  await tags.press('Enter')
}

/** Maps a file as another user does in the API. */
async function mapByAnother(id: string, columns: Record<string, string>, policy = {}): Promise<void> {
  const other = await stage.services.inBrowser('admin')
  await other.ok('PATCH', `${workspace}/imports/csv/${id}/mapping`, {
    mapping: { 'E-Mail': 'email', ...columns },
    consent_policy: 'review_required',
    policy,
  })
}

const stored = async (id: string) =>
  (
    await stage.services.stage.query<{ mapping: Record<string, string>; policy: object }>(
      'select mapping, policy from imports.import_jobs where id = $1',
      [id],
    )
  )[0]!

describe('the mapping form of an import', () => {
  for (const width of [375, 1280])
    inBrowser(`comes into the window with the focus when it is opened again, at ${width} px`, async () => {
      const page = await stage.signedIn('editor', { viewport: { width, height: 800 } })
      await open(page, await addImport(stage.services, world))
      const title = page.getByRole('heading', { name: 'What is each column?' })
      await title.waitFor()
      expect(await title.and(page.locator(':focus')).count()).toBe(0)
      await startDryRun(page)
      await isReviewed(page)
      await page.getByRole('button', { name: 'Map the columns again' }).click()
      await title.and(page.locator(':focus')).waitFor()
      const header = await page.locator('header').boundingBox()
      const { y } = (await title.boundingBox())!
      expect(y).toBeGreaterThanOrEqual(header!.y + header!.height)
      expect(y).toBeLessThan(300)
      await page.keyboard.press('Tab')
      await page.locator('#mapping :focus').waitFor()
    })

  inBrowser('keeps what a user typed for a new file that another user maps, and says so', async () => {
    const id = await addImport(stage.services, world)
    const first = await stage.signedIn('editor', { viewport: phone })
    await open(first, id)
    await first.getByLabel('Everybody in the file agreed').check()
    const basis = first.getByLabel('Basis of the consent')
    await basis.fill('double opt-in')
    await mapByAnother(id, { Colour: 'company' })
    await meanwhile(first).waitFor()
    await first.getByText('Next: Read the report, then approve it').waitFor()
    expect(await basis.inputValue()).toBe('double opt-in')
    expect(await target(first, 'Colour')).toBe('Leave it out')
    expect(await overflowOf(first)).toBeLessThanOrEqual(0)

    await meanwhile(first).getByRole('button', { name: 'Take the new mapping' }).click()
    await meanwhile(first).waitFor({ state: 'detached' })
    await first.getByRole('heading', { name: 'What is each column?' }).and(first.locator(':focus')).waitFor()
    expect(await target(first, 'Colour')).toBe('Company')
    expect(await first.getByLabel('Nobody is subscribed').isChecked()).toBe(true)
    await startDryRun(first)
    await isReportedAgain(first)
  })

  inBrowser('keeps the columns with which it was opened again, and stores no mixture of two mappings', async () => {
    const id = await addImport(stage.services, world)
    const first = await stage.signedIn('editor')
    await open(first, id)
    await startDryRun(first)
    await first.getByRole('button', { name: 'Map the columns again' }).click()
    await addTag(first, 'of the first')
    await mapByAnother(id, { Colour: 'company' }, { static_tags: ['of the second'] })
    await meanwhile(first).waitFor()
    expect(await target(first, 'Colour')).toBe('Leave it out')
    expect(await stored(id)).toMatchObject({
      mapping: { Colour: 'company' },
      policy: { static_tags: ['of the second'] },
    })
    await startDryRun(first)
    await isReportedAgain(first)
    const { mapping, policy } = await stored(id)
    expect(mapping['Colour'] ?? 'ignore').toBe('ignore')
    expect(policy).toEqual({ static_tags: ['of the first'] })
    expect(await meanwhile(first).count()).toBe(0)
  })

  inBrowser('goes away when another user cancels the import, and the title of the page has the focus', async () => {
    const id = await addImport(stage.services, world)
    const first = await stage.signedIn('editor')
    await open(first, id)
    await first.getByLabel('Save as a profile').fill('Never saved')
    const other = await stage.services.inBrowser('admin')
    await other.ok('POST', `${workspace}/imports/csv/${id}/cancel`)
    await first.getByText('Next: Cancelled').waitFor()
    await first.getByRole('button', { name: 'Start the dry run' }).waitFor({ state: 'detached' })
    await first.getByRole('heading', { level: 1 }).and(first.locator(':focus')).waitFor()
  })

  inBrowser('shows what a profile makes of the cells of the status, to add to it or to leave it out', async () => {
    const csv = 'E-Mail,State\nsue@people.example.com,active\nsid@people.example.com,gone\n'
    const page = await stage.signedIn('editor')
    const meanings = page.getByLabel('What the cells of the status mean')
    await open(page, await addImport(stage.services, world, csv))
    await meanings.fill('active = subscribed')
    await page.getByLabel('Save as a profile').fill('Of the old shop')
    await startDryRun(page)
    await isReviewed(page)

    const id = await addImport(stage.services, world, csv)
    await open(page, id)
    await choose(page, 'Profile', 'Of the old shop')
    expect(await meanings.inputValue()).toBe('active = subscribed')
    await startDryRun(page)
    await isReviewed(page)
    expect((await stored(id)).policy).toEqual({ status_values: { active: 'subscribed' } })
    for (const [typed, policy] of [
      ['active = subscribed\ngone = unsubscribed', { status_values: { active: 'subscribed', gone: 'unsubscribed' } }],
      ['', {}],
    ] as const) {
      await page.getByRole('button', { name: 'Map the columns again' }).click()
      await choose(page, 'Profile', 'Of the old shop')
      await meanings.fill(typed)
      await startDryRun(page)
      await isReportedAgain(page)
      expect((await stored(id)).policy).toEqual(policy)
    }
  })

  inBrowser('is followed by an approval that says what can send, before the text is typed', async () => {
    const id = await addImport(stage.services, world)
    await mapByAnother(id, {})
    const [owner, admin] = [await stage.signedIn('owner'), await stage.signedIn('admin', { viewport: phone })]
    for (const page of [owner, admin]) await open(page, id)
    const approval = (page: Page) => page.getByRole('region', { name: 'Approval' })
    await approval(owner).getByText('Nothing can send now').waitFor()
    await approval(admin).getByText('only administrators of the platform see these').waitFor()

    await stage.services.stage.query(
      `update identity.workspaces set production_sending_enabled = true where slug = 'newsletter'`,
    )
    for (const page of [owner, admin]) {
      await page.reload()
      await approval(page).getByText('It cannot be approved now').waitFor()
      await approval(page).getByText('Sending is on in this workspace. See Sending.').waitFor()
      expect(await approval(page).getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    }
    await approval(owner).getByRole('link', { name: 'Sending' }).click()
    await owner.getByRole('heading', { level: 1, name: 'Sending' }).waitFor()
    await stage.services.stage.query(
      `update identity.workspaces set production_sending_enabled = false where slug = 'newsletter'`,
    )
  })

  inBrowser('keeps a dialog open that approves another report, says so, and approves nothing', async () => {
    const id = await addImport(stage.services, world)
    await mapByAnother(id, {})
    const page = await stage.signedIn('owner')
    await open(page, id)
    await page.getByRole('button', { name: 'Approve', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Apply this import?' })
    await dialog.getByLabel(/^Type APPLY CSV IMPORT/).fill(`APPLY CSV IMPORT ${id} TO acme/newsletter`)
    const approve = dialog.getByRole('button', { name: 'Approve and apply' })
    expect(await approve.isEnabled()).toBe(true)
    await mapByAnother(id, { Colour: 'company' })
    await dialog.getByText('Somebody mapped the file again: the report is another one').waitFor()
    expect(await approve.isDisabled()).toBe(true)
    await dialog.getByRole('button', { name: 'Leave it as it is' }).click()
    await isReportedAgain(page)
  })

  inBrowser('names the inputs of the form in a refusal', async () => {
    const id = await addImport(stage.services, world)
    const page = await stage.signedIn('owner')
    await open(page, id)
    await page.getByLabel('Everybody in the file agreed').check()
    // Spaces are no evidence, and a browser takes them.
    for (const name of [
      'Basis of the consent',
      'Where it was given',
      'Version of the wording',
      'Where the evidence is kept',
    ])
      await page.getByLabel(name).fill(' ')
    await startDryRun(page)
    const refusal = page.getByRole('alert').filter({ hasText: 'This request was refused' })
    await refusal
      .getByText('Basis of the consent is required with “Everybody in the file agreed, and there is evidence”.')
      .waitFor()
    expect(await refusal.innerText()).not.toMatch(/[a-z]_[a-z]/)
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
