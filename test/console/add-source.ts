import type { Page } from 'playwright-core'
import { act, choose } from './console-stage.ts'

/** Adds a source for an audience by its form, from any page of the workspace. Answers the credential, which is still shown. */
export async function addSource(page: Page, name: string, audience: string): Promise<string> {
  await page.getByRole('link', { name: 'Sources' }).click()
  await page.getByRole('button', { name: 'Add a source' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('combobox', { name: 'Allowed origins' }).fill('https://www.acme.test')
  await page.keyboard.press('Enter')
  await choose(page, 'Audiences', audience)
  await page.keyboard.press('Escape')
  await act(page, 'Add it')
  return (await page.getByText(/^lgs_/).textContent())!
}
