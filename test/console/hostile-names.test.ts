import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { until } from '@lettergate/stage'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, isInSight, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addImport, addSender, openSending, openSettings, openWorld, workspace, type ConsoleWorld } from './world.ts'

/** Runs if a page takes it for markup, and is longer than a line of a phone. */
const hostile = `"><img src=x onerror="document.documentElement.dataset.ran='yes'"><script>document.documentElement.dataset.ran='yes'</script>`

let stage: ConsoleStage
let pages: Record<string, string>
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  const world = await openWorld(stage.services)
  await openSending(stage.services, world.owner)
  pages = await addHostileNames(world, await addSender(stage.services, world.owner))
})
afterAll(async () => {
  await stage?.close()
})

/** Everything that a person outside or a colleague can name, named like that. Returns the pages that show it. */
async function addHostileNames({ owner, contentId }: ConsoleWorld, senderId: string): Promise<Record<string, string>> {
  const create = <T>(path: string, body: unknown) => owner.ok<T>('POST', `${workspace}${path}`, body)
  await create('/contact-field-definitions', { field_key: 'motto', label: hostile.slice(0, 100), field_type: 'text' })
  const { contact } = await create<{ contact: { id: string } }>('/contacts/upsert', {
    email: 'mallory+withanaddressofmanyletters@people.example.com',
    first_name: hostile,
    company: hostile,
    custom_fields: { motto: hostile },
    tags: [hostile.slice(0, 100)],
    source: hostile,
  })
  const { audience } = await create<{ audience: { id: string } }>('/audiences', {
    name: hostile,
    slug: 'hostile',
    purpose: hostile,
  })
  await create(`/audiences/${audience.id}/subscribe`, {
    contact_id: contact.id,
    source: 'form',
    wording_version: hostile,
    form_identifier: hostile,
    evidence: { [hostile]: hostile },
  })
  const { email_template: template } = await create<{ email_template: { id: string } }>('/email-templates', {
    name: hostile,
    slug: 'hostile',
    description: hostile,
  })
  await create(`/email-templates/${template.id}/versions`, {
    subject: hostile,
    preheader: hostile,
    html: '<p>Hi {{ first_name }} <a href="{{ unsubscribe_url }}">leave</a></p>',
    personalization_defaults: { first_name: hostile },
  })
  const { campaign } = await create<{ campaign: { id: string } }>('/campaign-drafts', {
    name: hostile,
    audience_id: audience.id,
    sender_identity_id: senderId,
    content_version_id: contentId,
    notes: hostile,
  })
  await create(`/contacts/${contact.id}/suppress`, {
    scope: 'workspace',
    reason: 'manual',
    source: 'support',
    evidence: { ticket: hostile },
  })
  const header = `"${hostile.replaceAll('"', '""')}"`
  const csv = `email,${header}\nmallory@people.example.com,${header}\n`
  const importId = await addImport(stage.services, { audienceId: audience.id }, csv)
  return {
    contacts: '/contacts',
    import: `/imports/${importId}`,
    contact: `/contacts/${contact.id}`,
    audiences: '/audiences',
    audience: `/audiences/${audience.id}`,
    tags: '/tags',
    suppressions: '/suppressions',
    templates: '/templates',
    template: `/templates/${template.id}`,
    'new version': `/templates/${template.id}/new`,
    campaigns: '/campaigns',
    campaign: `/campaigns/${campaign.id}`,
    draft: `/campaigns/${campaign.id}/edit`,
  }
}

describe('names that look like markup', () => {
  for (const width of [1280, 375])
    inBrowser(`are shown as text, and fit the window, ${width} pixels wide`, async () => {
      const page = await stage.signedIn('owner', { viewport: { width, height: 800 } })
      const found: Record<string, unknown> = {}
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        await until(async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0)
        const ran = await page.evaluate<string | undefined>('document.documentElement.dataset.ran')
        const images = await page.locator('img[src="x"]').count()
        found[name] = { ran, images, overflow: await overflowOf(page) }
      }
      const clean = { ran: undefined, images: 0, overflow: 0 }
      expect(found).toEqual(Object.fromEntries(Object.keys(pages).map((name) => [name, clean])))
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${pages['contact']}`)
      await page.getByRole('region', { name: 'Profile' }).getByText(hostile).first().waitFor()
      await page.getByRole('button', { name: 'Erase' }).click()
      expect(await isInSight(page, page.getByRole('dialog').getByRole('button', { name: 'Close' }))).toBe(true)
    })

  inBrowser('are no script of a preview that is filled with them', async () => {
    const page = await stage.signedIn('analyst', { at: `/w/acme/newsletter${pages['template']}` })
    await page.getByText('Defaults', { exact: true }).first().click()
    await page.frameLocator('iframe[sandbox=""]').getByText('Hi "><img src=x').waitFor()
    expect(await page.frameLocator('iframe[sandbox=""]').locator('img, script').count()).toBe(0)
  })

  inBrowser('do not have to be Latin, nor the only ones', async () => {
    const page = await stage.signedIn('wsowner')
    const open = async (list: string, button: string) => {
      await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/${list}`)
      await page.getByRole('button', { name: button }).click()
      return page.getByRole('dialog')
    }
    const audience = await open('audiences', 'Create an audience')
    await audience.getByLabel('Name').fill('Новости')
    await audience.getByLabel('Purpose').fill('Новости')
    await act(page, 'Create it')
    await page.getByRole('heading', { level: 1, name: 'Новости' }).waitFor()
    const template = await open('templates', 'Create a template')
    await template.getByLabel('Name').fill('ニュース')
    await act(page, 'Create it')
    await page.getByRole('heading', { level: 1, name: 'ニュース' }).waitFor()
    const source = await open('sources', 'Add a source')
    await source.getByLabel('Name').fill('Σελίδα')
    await source.getByRole('combobox', { name: 'Allowed origins' }).fill('https://www.acme.test')
    await page.keyboard.press('Enter')
    await choose(page, 'Audiences', 'Weekly news')
    await page.keyboard.press('Escape')
    await act(page, 'Add it')
    await page.getByText(/^lgs_/).waitFor()
    const automation = await open('automations', 'Create an automation')
    await automation.getByLabel('Name').fill('ترحيب')
    await choose(page, 'It begins when', 'Weekly news')
    await act(page, 'Create it')
    await page.waitForURL('**/automations/*/edit')

    const other = await open('templates', 'Create a template')
    await other.getByLabel('Name').fill('Monthly newsletter')
    await other.getByRole('button', { name: 'Create it' }).click()
    await other.getByText('Choose another slug').waitFor()
    await other.getByLabel('Slug').fill('monthly-newsletter-2')
    await act(page, 'Create it')
    await page.getByRole('heading', { level: 1, name: 'Monthly newsletter' }).waitFor()
  })

  inBrowser('break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
