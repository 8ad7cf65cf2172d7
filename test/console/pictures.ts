import type { Page } from 'playwright-core'
import { act, choose, localTime, openPalette } from './console-stage.ts'

/** A page with what is open over it, or in a state that a service brings it to. */
export interface Picture {
  /** the name of its page */
  of: string
  /** default: owner; null has no session */
  who?: string | null
  /** before the page is opened */
  before?: (page: Page) => Promise<unknown>
  /** after the page is there */
  open?: (page: Page) => Promise<unknown>
  /** an answer never arrives, so the picture does not wait for all of them */
  isWaiting?: boolean
}

const inDialog = (page: Page) => page.getByRole('dialog')

/** Presses the first button with this name, and waits for the dialog. */
const press =
  (...names: string[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) await page.locator('main').getByRole('button', { name, exact: true }).first().click()
    await inDialog(page).waitFor()
  }

const dialog = (of: string, ...names: string[]): Picture => ({ of, open: press(...names) })

const opened =
  (then: (page: Page) => Promise<unknown>, ...names: string[]) =>
  async (page: Page): Promise<void> => {
    await press(...names)(page)
    await then(page)
  }

/** Never answers. */
const hold = (url: string) => (page: Page) => page.route(url, () => undefined)
const fail = (url: string) => (page: Page) => page.route(url, (route) => route.abort())

const menu = (button: RegExp | string) => async (page: Page) => {
  await page.getByRole('banner').getByRole('button', { name: button }).click()
  await page.getByRole('menuitem').first().waitFor()
}

const chip = (button: RegExp) => async (page: Page) => {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog', { name: button }).waitFor()
}

/** Everything that is not the plain page of an owner, by the name of its picture. */
export const pictures: Record<string, Picture> = {
  'sign-in': { of: 'home', who: null },
  'no-workspace': { of: 'console', who: 'platform' },
  'refused-page': { of: 'gates', who: 'analyst' },
  'analyst-contact': { of: 'contact', who: 'analyst' },
  'analyst-campaign': { of: 'campaign-draft', who: 'analyst' },
  'analyst-sources': { of: 'sources', who: 'analyst' },
  'editor-sending': { of: 'sending', who: 'editor' },

  'loading-contacts': { of: 'contacts', before: hold('**/newsletter/contacts?*'), isWaiting: true },
  'loading-run': { of: 'run', before: hold('**/campaign-runs/**'), isWaiting: true },
  'error-suppressions': {
    of: 'suppressions',
    before: fail('**/newsletter/suppressions?*'),
    open: (page) => page.locator('main').getByText('No answer arrived').waitFor(),
  },
  'error-home': {
    of: 'home',
    before: fail('**/newsletter/{sending-overview,imports/csv,sending-domains}'),
    open: (page) => page.locator('main').getByText('No answer arrived').nth(3).waitFor(),
  },
  'error-contact': {
    of: 'contact',
    before: fail('**/api/**/contacts/*'),
    open: (page) => page.locator('main').getByText('No answer arrived').first().waitFor(),
  },
  'no-match-contacts': {
    of: 'contacts',
    open: async (page) => {
      await page.getByLabel('Address or name').fill('nobody has this name')
      await page.waitForURL('**search=**')
    },
  },

  'menu-user': { of: 'home', open: menu(/^owner: colors/) },
  'menu-workspaces': { of: 'home', open: menu('Change the workspace') },
  'chip-role': { of: 'home', open: chip(/^owner What/) },
  'chip-gates': { of: 'home', open: chip(/^Sending on/) },
  navigation: {
    of: 'home',
    open: async (page) => {
      const burger = page.getByRole('button', { name: 'Navigation' })
      if (await burger.isVisible()) await burger.click()
    },
  },
  palette: {
    of: 'home',
    open: async (page) => {
      await openPalette(page).then((palette) => palette.fill('sup'))
      await page.getByText('in contacts').waitFor()
    },
  },
  shortcuts: {
    of: 'home',
    open: async (page) => {
      await page.getByRole('heading', { level: 1 }).click()
      await page.keyboard.press('Shift+?')
      await inDialog(page).waitFor()
    },
  },
  tooltip: {
    of: 'unknown-run',
    open: async (page) => {
      await page.locator('main [data-means][tabindex]').first().focus()
      await page.getByRole('tooltip').waitFor()
    },
  },
  toast: {
    of: 'tags',
    before: (page) =>
      page.route('**/newsletter/tags', (route) =>
        route.request().method() === 'POST' ? route.fulfill({ json: {} }) : route.fallback(),
      ),
    open: async (page) => {
      await press('Register a tag')(page)
      await inDialog(page).getByLabel('Name').fill('london')
      await act(page, 'Register it')
      await page.getByText('Register a tag: done').waitFor()
    },
  },

  'dialog-add-contact': dialog('contacts', 'Add a contact'),
  'dialog-edit-contact': dialog('contact', 'Edit'),
  'dialog-suppress': dialog('contact', 'Suppress'),
  'dialog-subscribe': dialog('contact', 'Subscribe'),
  'dialog-add-tag-to-contact': dialog('contact', 'Add a tag'),
  'dialog-consent-proof': dialog('contact', 'Consent proof'),
  'dialog-delete-contact': dialog('contact', 'Delete'),
  'dialog-erase': dialog('contact', 'Erase'),
  'preference-link': {
    of: 'contact',
    open: async (page) => {
      await press('Create a preference link')(page)
      await act(page, 'Create the link')
      const link = page.getByRole('status').filter({ hasText: 'Give this link to nobody else' })
      await link.scrollIntoViewIfNeeded()
    },
  },
  'dialog-resolve': dialog('suppressions', 'Resolve'),
  'dialog-create-audience': dialog('audiences', 'Create an audience'),
  'dialog-delete-audience': dialog('audience', 'Delete'),
  'dialog-rename-tag': dialog('tags', 'Rename'),
  'dialog-merge-tag': dialog('tags', 'Merge'),
  'dialog-define-field': dialog('tags', 'Define a field'),
  'import-map-again': {
    of: 'import-review',
    open: (page) => page.getByRole('button', { name: 'Map the columns again' }).click(),
  },
  'dialog-cancel-import': dialog('import-review', 'Cancel'),

  'dialog-delete-campaign': dialog('campaign-draft', 'Delete'),
  'dialog-schedule': {
    of: 'campaign-draft',
    open: async (page) => {
      await page.getByLabel('Send at').fill(await localTime(page, 3_600_000))
      await press('Schedule')(page)
    },
  },
  'dialog-pause-run': dialog('scheduled-run', 'Pause'),
  'dialog-cancel-run': dialog('scheduled-run', 'Cancel'),
  'dialog-send-again': dialog('unknown-run', 'Send them again'),
  'run-trends-table': {
    of: 'runs',
    open: (page) => page.getByRole('region', { name: 'Trends' }).getByText('Table', { exact: true }).click(),
  },

  'dialog-create-template': dialog('templates', 'Create a template'),
  'dialog-test-template': dialog('template', 'Send a test'),
  'dialog-archive-template': dialog('template', 'Archive'),
  'template-text': {
    of: 'template',
    open: (page) => page.getByText('Plain text', { exact: true }).first().click(),
  },
  'template-phone': { of: 'template', open: (page) => page.getByText('Phone', { exact: true }).click() },
  'template-dark': { of: 'template', open: (page) => page.getByText('Dark', { exact: true }).click() },

  'dialog-create-automation': dialog('automations', 'Create an automation'),
  'dialog-mark-reviewed': dialog('automation', 'Mark as reviewed'),
  'dialog-pause-automation': dialog('published-automation', 'Pause'),
  'dialog-archive-automation': dialog('automation', 'Archive'),
  'automation-branches': { of: 'automation-edit', open: (page) => choose(page, 'Step', /is-keen/) },
  'dialog-virtual-clock': dialog('rehearsed-automation', 'Run with a virtual clock'),

  'dialog-add-connection': dialog('sending', 'Add a connection'),
  'dialog-add-domain': dialog('sending', 'Add a domain'),
  'dialog-add-sender': dialog('sending', 'Add a sender'),
  'dialog-sending-off': dialog('sending', 'Turn sending off'),
  'dialog-activate-sending': dialog('empty-sending', 'Activate sending'),
  'dialog-refused': {
    of: 'sending',
    open: opened(async (page) => {
      await inDialog(page).getByRole('button', { name: 'Delete the connection' }).click()
      await inDialog(page).getByRole('alert').waitFor()
    }, 'Delete'),
  },
  'dialog-quota': dialog('domain', 'Quota'),
  'dialog-register-webhooks': dialog('domain', 'Register webhooks'),
  'dialog-check-domain': dialog('domain', 'Check again'),
  'dialog-send-test': dialog('testing', 'Send a test'),
  'dialog-rehearse': dialog('testing', 'Rehearse'),
  'dialog-preflight': dialog('testing', 'Run the checks'),
  'dialog-capacity': dialog('testing', 'Rehearse the capacity'),
  'provider-event': dialog('provider-events', 'See Delivered'),
  'dialog-replay-event': dialog('provider-events', 'Replay'),

  'dialog-acknowledge': dialog('alerts', 'Acknowledge'),

  'dialog-add-source': dialog('sources', 'Add a source'),
  'dialog-confirmation': dialog('source', 'Ask for a confirmation'),
  'dialog-rotate': dialog('source', 'Rotate the credential'),
  'credential-once': {
    of: 'source',
    open: opened((page) => act(page, 'Rotate it'), 'Rotate the credential'),
  },
  'dialog-webhook-url': dialog('webhook', 'Set the URL'),
  'secret-once': { of: 'webhook', open: opened((page) => act(page, 'Make it'), 'New secret') },
  'dialog-add-member': dialog('team', 'Add a member'),
  'dialog-role': dialog('team', 'Role'),

  'dialog-close-gate': dialog('gates', 'Close'),
  'dialog-open-gate': dialog('gates', 'Open'),
  'audit-entry': {
    of: 'audit-log',
    open: async (page) => {
      await page.locator('main').getByRole('button', { name: /^See / }).first().click()
      await inDialog(page).waitFor()
    },
  },
  'dialog-replay-dead-letter': dialog('dead-letters', 'Replay'),
  'dialog-discard-dead-letter': dialog('dead-letters', 'Discard'),
}
