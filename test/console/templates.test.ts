import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { hasChromium, inBrowser } from './browser.ts'
import { act, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import { openWorld, workspace, type ConsoleWorld } from './world.ts'

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

const hostile = `<h1>Hello {{ first_name }}</h1>
<script>document.body.append('a script ran')</script>
<img src="data:," alt="" onerror="document.body.append('a handler ran')">
<p><a href="{{ unsubscribe_url }}">Unsubscribe</a></p><p><a href="https://shop.test/" target="_top">Shop</a></p><p>The end</p>`

describe('the pages of templates', () => {
  inBrowser('lead back from a template that does not exist', async () => {
    const page = await stage.signedIn('analyst', { at: `/w/acme/newsletter/templates/${world.contentId}` })
    await page.getByRole('heading', { level: 1, name: 'Template', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Back to templates' }).click()
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
  })

  inBrowser('create a template, write two versions with a report, archive and restore', async () => {
    const page = await stage.signedIn('editor')
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('button', { name: 'Create a template' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Autumn newsletter')
    await act(page, 'Create it')
    await page.getByRole('heading', { level: 1, name: 'Autumn newsletter' }).waitFor()
    await page.getByText('There is no content yet').waitFor()

    await page.getByRole('link', { name: 'Write a version' }).click()
    await page.getByLabel('Subject').fill('News for {{ first_name }}')
    await page.getByRole('textbox', { name: 'HTML' }).click()
    await page.keyboard.type('{{ fi')
    await page.getByRole('option', { name: /first_name/ }).click()
    await page.getByRole('textbox', { name: 'HTML' }).getByText('{{ first_name }}').waitFor()
    await page.getByRole('textbox', { name: 'HTML' }).fill(hostile)
    await page.getByLabel('Plain text').fill('Hello {{ first_name }}, unsubscribe at {{ unsubscribe_url }}')
    await page.getByLabel('Default of first_name').fill('there')
    await page.getByRole('button', { name: 'Save the version' }).click()

    const report = page.getByRole('region', { name: 'What was checked' })
    await report.getByRole('list', { name: 'What was removed' }).getByText('script', { exact: true }).waitFor()
    await report.getByText('onerror', { exact: true }).waitFor()
    const email = page.frameLocator('iframe[sandbox=""]')
    await email.getByRole('heading', { name: 'Hello {{ first_name }}' }).waitFor()
    await email.getByText('The end').waitFor()
    expect(await email.getByText(/ran/).count()).toBe(0)
    await email.getByRole('link', { name: 'Shop' }).click()
    await email.getByText('The end').waitFor()
    await page.getByText('Sample', { exact: true }).click()
    await email.getByRole('heading', { name: 'Hello Ada' }).waitFor()
    await page.getByText('A contact', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Contact' }).fill('grace')
    await page.getByRole('option', { name: /^grace@/ }).click()
    await email.getByRole('heading', { name: 'Hello Grace' }).waitFor()
    await page.getByRole('region', { name: 'Preview' }).getByText('News for Grace').waitFor()
    await page.getByText('Plain text', { exact: true }).first().click()
    await page.getByLabel('Plain text').getByText('unsubscribe at').waitFor()

    await page.getByRole('link', { name: 'Write a version' }).click()
    expect(await page.getByLabel('Subject').inputValue()).toBe('News for {{ first_name }}')
    await page.getByLabel('Subject').fill('More news')
    await page.getByLabel('Plain text').fill('Hello {{ first_name }}, leave at {{ unsubscribe_url }}')
    await page.getByRole('button', { name: 'Save the version' }).click()
    await page.getByRole('heading', { level: 2, name: 'Version 2: More news' }).waitFor()
    await page.getByText('there', { exact: true }).first().waitFor()
    const changes = page.getByRole('region', { name: 'Changes in version 2' })
    await changes.locator('del').getByText('for {{ first_name }}').waitFor()
    await changes.locator('ins').getByText('More').waitFor()
    await changes.getByText('Nothing changed').waitFor()
    await changes.getByLabel('Changes of Plain text').locator('ins').getByText('leave at').waitFor()
    await page.getByRole('link', { name: 'News for {{ first_name }}' }).click()
    await page.getByRole('heading', { level: 2, name: /^Version 1:/ }).waitFor()

    await page.getByRole('button', { name: 'Archive' }).click()
    await act(page, 'Archive the template')
    await page.getByRole('button', { name: 'Restore' }).click()
    await act(page, 'Restore the template')
    await page.getByRole('button', { name: 'Archive' }).waitFor()
  })

  inBrowser('complete a token with Enter', async () => {
    const page = await stage.signedIn('owner')
    await page.clock.install() // Enter has no effect on an offer that just appeared
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/templates/${world.templateId}/new`)
    const html = page.getByRole('textbox', { name: 'HTML' })
    await html.fill('')
    await html.click()
    await page.keyboard.type('{{ fi')
    await page.getByRole('option', { name: /first_name/ }).waitFor()
    await page.clock.fastForward(1_000)
    await page.keyboard.press('Enter')
    await page.getByRole('option').waitFor({ state: 'detached' })
    expect(await html.innerText()).toBe('{{ first_name }}')
  })

  inBrowser('are for an analyst to read', async () => {
    const page = await stage.signedIn('analyst')
    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'Monthly newsletter' }).click()
    await page
      .frameLocator('iframe')
      .getByRole('heading', { name: /^Hello/ })
      .waitFor()
    expect(await page.getByRole('button', { name: 'Archive' }).count()).toBe(0)
  })

  inBrowser(
    'look in a preview as in light or in dark colors, whatever those of the console are, and end there',
    async () => {
      await world.owner.ok('POST', `${workspace}/email-templates/${world.templateId}/versions`, {
        subject: 'Colors',
        html: `<style>.dark { display: none } @media (prefers-color-scheme: dark) { .dark { display: block } .light { display: none } }</style>
        <p class="light">In light colors</p><p class="dark">In dark colors</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>`,
      })
      const page = await stage.signedIn('analyst', {
        at: `/w/acme/newsletter/templates/${world.templateId}`,
        viewport: { width: 1280, height: 1400 },
      })
      const email = page.frameLocator('iframe')
      const picture = (left: number, top: number) => page.screenshot({ clip: { x: left, y: top, width: 4, height: 4 } })
      const belowLight: Buffer[] = []
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await page.getByText('Wide', { exact: true }).click()
        await email.getByText('In light colors').waitFor()
        await email.getByText('In dark colors').waitFor({ state: 'hidden' })
        const frame = (await page.locator('iframe').boundingBox())!
        belowLight.push(await picture(frame.x + 50, frame.y + frame.height - 30))
        await page.getByText('Dark', { exact: true }).click()
        await email.getByText('In dark colors').waitFor()
        await email.getByText('In light colors').waitFor({ state: 'hidden' })
        const { x, y, height } = (await page.locator('iframe').boundingBox())!
        const body = (await email.locator('body').boundingBox())!
        expect(body.y + body.height).toBeLessThan(y + height - 50)
        // Below its end in dark colors there is the section around it.
        expect(await picture(x + 50, y + height - 30)).toEqual(await picture(x - 12, y + height - 30))
        // Its margins, which it does not set, have its background.
        expect(await picture(x + 3, y + 3)).toEqual(await picture(body.x + body.width - 20, body.y + 4))
      }
      // In light colors the whole frame is white, also on a dark page.
      expect(belowLight[1]).toEqual(belowLight[0])
    },
  )

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })

  inBrowser('run no script in a preview, even if the sanitiser had left it', async () => {
    const page = await stage.signedIn('analyst')
    // The headers are those of the gateway; only the body is replaced.
    await page.route('**/content-versions/*/preview*', async (route) => {
      const response = await route.fetch()
      expect(response.headers()['content-security-policy']).toMatch(
        /^sandbox; default-src 'none'; img-src data: https:/,
      )
      await route.fulfill({ response, body: hostile })
    })
    const address = `${stage.services.baseUrl}/console/w/acme/newsletter/templates/${world.templateId}`
    await page.goto(address)
    const email = page.frameLocator('iframe')
    await email.getByText('The end').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await email.getByText(/ran/).count()).toBe(0)
    // The page alone, without the sandbox of the frame.
    await page.goto(stage.services.baseUrl + (await page.locator('iframe').getAttribute('src')))
    await page.getByText('The end').waitFor()
    expect(await page.getByText(/ran/).count()).toBe(0)
  })
})
