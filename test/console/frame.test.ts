import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { hasChromium, inBrowser } from './browser.ts'
import { chooseUser, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'

let stage: ConsoleStage
beforeAll(async () => {
  if (hasChromium) stage = await openConsoleStage({ ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
})
afterAll(async () => {
  await stage?.close()
})

describe('the console', () => {
  inBrowser('signs in through the wallet, shows the role and the gates, and changes the workspace', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    await page.getByText('No campaign has run yet').waitFor()
    await page.getByRole('button', { name: /^owner\. What/ }).waitFor()
    await page.getByRole('button', { name: /^Sending off/ }).click()
    await page.getByText('The platform gate for production sending is closed').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change the workspace' }).click()
    await page.getByRole('menuitem', { name: /acme\/product/ }).click()
    await page.waitForURL('**/console/w/acme/product')
    await page.reload()
    await page.getByRole('button', { name: 'Change the workspace' }).getByText('acme/product').waitFor()
  })

  inBrowser('opens a gate after it says what follows', async () => {
    const page = await stage.signedIn('platform')
    await page.getByText('You belong to no workspace').waitFor()
    await page.getByRole('link', { name: 'Gates' }).last().click()
    const gate = page.getByRole('region', { name: 'Production sending' })
    await gate.getByText('The environment allows it').waitFor()
    await gate.getByRole('button', { name: 'Open' }).click()
    await page.getByText('This holds for every workspace of the platform').waitFor()
    await page.getByRole('button', { name: 'Open the gate' }).click()
    await gate.getByText('By platform').waitFor()
    const { gates } = (await (
      await page.request.get(`${stage.services.baseUrl}/console/api/platform/gates`)
    ).json()) as {
      gates: { name: string; effective: boolean }[]
    }
    expect(gates).toContainEqual(expect.objectContaining({ name: 'production_sending_enabled', effective: true }))
  })

  inBrowser('acknowledges an alert', async () => {
    const [{ id } = { id: '' }] = await stage.services.stage.query<{ id: string }>(
      `select id from identity.workspaces where slug = 'product'`,
    )
    await stage.services.stage.publish(
      'campaigns-delivery',
      AlertRaisedSchema,
      { code: 'run_overdue', severity: 'warning', summary: 'A run starts late.', detail: {} },
      { workspaceId: id },
    )
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Alerts' }).click()
    const row = page.getByRole('row', { name: /A run starts late/ })
    for (let left = 20; left > 0 && (await row.count()) === 0; left -= 1) {
      await page.reload()
      await row.waitFor({ timeout: 1_000 }).catch(() => undefined)
    }
    await row.getByRole('button', { name: 'Acknowledge' }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByText('All', { exact: true }).click()
    await row.getByText(/^owner/).waitFor()
    expect(page.url()).toContain('show=all')
  })

  inBrowser('shows an analyst no page of the platform', async () => {
    const page = await stage.signedIn('analyst')
    await page.getByRole('heading', { level: 1, name: 'Acme Newsletter' }).waitFor()
    expect(await page.getByRole('link', { name: 'Gates' }).count()).toBe(0)
    await page.goto(`${stage.services.baseUrl}/console/platform/gates`)
    const refusal = page.getByRole('alert')
    await refusal.getByText('Your role does not allow this').waitFor()
    expect(await refusal.locator('code').textContent()).toMatch(/^[\w-]{8,}$/)
  })

  inBrowser('asks for a sign-in when the session ended, and returns to the same page', async () => {
    const page = await stage.signedIn('owner')
    await page.goto(`${stage.services.baseUrl}/console/platform/alerts?show=all`)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    await page.context().clearCookies({ name: 'session' })
    await page.getByRole('link', { name: 'Gates' }).click()
    await chooseUser(page, 'owner')
    await page.getByRole('heading', { level: 1, name: 'Gates' }).waitFor()
  })

  inBrowser('says what to do when the service does not answer', async () => {
    const page = await stage.signedIn('owner')
    await page.route('**/console/api/platform/gates', (route) => route.abort())
    await page.getByRole('link', { name: 'Gates' }).click()
    await page.getByText('No answer arrived').waitFor({ timeout: 30_000 })
    await page.unroute('**/console/api/platform/gates')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'Production sending' }).waitFor()
  })

  inBrowser('fits a telephone in both color schemes', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.signedIn('owner', { viewport: { width: 375, height: 700 }, colorScheme })
      for (const path of ['', '/platform/gates', '/platform/alerts']) {
        await page.goto(`${stage.services.baseUrl}/console${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect([path, await overflowOf(page)]).toEqual([path, 0])
      }
      expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe(colorScheme)
    }
  })

  inBrowser('loads less than 250 kB for its first page', async () => {
    const page = await stage.signedIn('owner')
    await page.getByText('No campaign has run yet').waitFor()
    const bytes = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.includes('/console/assets/')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(250_000)
  })

  inBrowser('makes no exception and breaks no rule of its content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
