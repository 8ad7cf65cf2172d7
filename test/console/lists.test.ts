import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { until } from '@lettergate/stage'
import type { Page } from 'playwright-core'
import { hasChromium, inBrowser } from './browser.ts'
import { act, openConsoleStage, type ConsoleStage } from './console-stage.ts'
import {
  addDeadLetter,
  addDraft,
  openSending,
  openSettings,
  openWorld,
  runCampaign,
  type ConsoleWorld,
} from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let senderId: string
let workspaceId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  senderId = await openSending(stage.services, world.owner)
  const database = stage.services.stage
  const [found] = await database.query<{ id: string }>(`select id from identity.workspaces where slug = 'newsletter'`)
  workspaceId = found!.id
  await database.query(
    `insert into contacts.tags (workspace_id, id, name)
     select $1, gen_random_uuid(), 'topic ' || n from generate_series(1, 9998) n`,
    [workspaceId],
  )
  await database.query(
    `insert into contacts.audiences (workspace_id, id, name, slug, purpose)
     select $1, gen_random_uuid(), 'List ' || n, 'list-' || n, 'News' from generate_series(1, 998) n`,
    [workspaceId],
  )
})
afterAll(async () => {
  await stage?.close()
})

const open = (page: Page, path: string) => page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter${path}`)

/** Opens a list, which draws its first 50 choices and says how many more there are; finds one of the others, and chooses it. */
async function chooseOf(page: Page, label: string, more: RegExp, typed: string): Promise<void> {
  const input = page.getByRole('combobox', { name: label })
  await input.click()
  const options = page.getByRole('option')
  await page.getByRole('option', { name: more, disabled: true }).waitFor()
  expect(await options.count()).toBe(51)
  await input.fill(typed)
  await page.getByRole('option', { name: more }).waitFor({ state: 'detached' })
  await page.getByRole('option', { name: typed }).first().click()
}

describe('a workspace with 10,000 tags and 1,000 audiences', () => {
  inBrowser('offers the first choices of each list in a draft, and finds the others', async () => {
    const page = await stage.signedIn('editor')
    await open(page, '/campaigns/new')
    for (const label of ['With any of these tags', 'With all of these tags', 'With none of these tags']) {
      await chooseOf(page, label, /^9,9\d\d more/, 'topic 9998')
      await page.keyboard.press('Escape')
    }
    await chooseOf(page, 'Audiences', /^950 more/, 'List 997')
    await page.getByText('List 997 (0 members)').first().waitFor()
  })

  inBrowser('filters contacts by any tag and audience, whose names the filters show', async () => {
    const page = await stage.signedIn('editor')
    await open(page, '/contacts')
    await chooseOf(page, 'Tag', /^9,9\d\d more/, 'topic 9997')
    await page.waitForURL('**?tag=topic+9997')
    await chooseOf(page, 'Audience', /^950 more/, 'List 998')
    await page.reload()
    await page.locator('[role=combobox][value="topic 9997"]').waitFor()
    await page.locator('[role=combobox][value="List 998"]').waitFor()
  })

  inBrowser('gives a contact any tag', async () => {
    const page = await stage.signedIn('editor')
    await open(page, `/contacts/${world.contacts['Grace']}`)
    await page.getByRole('button', { name: 'Add a tag' }).click()
    await chooseOf(page, 'Tag', /^9,9\d\d more/, 'topic 9996')
    await act(page, 'Add a tag')
    await page.getByRole('region', { name: 'Profile' }).getByText('topic 9996').waitFor()
  })
})

const query = (text: string, values: unknown[]) => stage.services.stage.query(text, values)

/** Opens a page whose clock stands still until a test turns it. */
async function openAt(path: string, seen: string): Promise<Page> {
  const page = await stage.signedIn('owner')
  await page.clock.install()
  await page.goto(`${stage.services.baseUrl}/console${path}`)
  await page.locator('main').getByText(seen).first().waitFor()
  return page
}

describe('an open list shows what happened since', () => {
  inBrowser('of alerts, and asks for nothing while its tab is hidden', async () => {
    const page = await openAt('/platform/alerts', 'Nothing needs you')
    const alert = { code: 'run_overdue', severity: 'warning', summary: 'A run starts late.', detail: {} }
    await stage.services.stage.publish('campaigns-delivery', AlertRaisedSchema, alert, { workspaceId })
    await until(async () => (await query('select 1 from identity.alerts', [])).length === 1)
    await page.clock.fastForward(16_000)
    await page.getByRole('row', { name: /A run starts late/ }).waitFor()

    const show = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
         document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
      )
    await show('hidden')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.clock.fastForward(60_000)
    const next = page.waitForRequest(/alerts/)
    await show('visible')
    await next
    expect(asked.filter((url) => url.includes('/alerts'))).toHaveLength(1)
  })

  inBrowser('of dead letters', async () => {
    const page = await openAt('/platform/dead-letters', 'There is none')
    await addDeadLetter(stage.services, 'campaigns', 'thing_lost')
    await page.clock.fastForward(16_000)
    await page.getByRole('row', { name: /Audit recorded/ }).waitFor()
  })

  inBrowser('of campaigns and of runs', async () => {
    const runId = await runCampaign(stage.services, world, senderId)
    const campaigns = await openAt('/w/acme/newsletter/campaigns', 'Spring newsletter')
    await addDraft(world, senderId, 'Summer newsletter')
    await campaigns.clock.fastForward(16_000)
    await campaigns.getByRole('row', { name: /^Summer newsletter/ }).waitFor()

    const runs = await openAt('/w/acme/newsletter/runs', 'Spring newsletter')
    const row = runs.getByRole('row', { name: /^Spring newsletter/ })
    await query(`update campaigns.campaign_runs set state = 'paused' where id = $1`, [runId])
    await runs.clock.fastForward(16_000)
    await row.getByText('Paused').waitFor()
  })

  inBrowser('of provider events', async () => {
    const page = await openAt('/w/acme/newsletter/provider-events', 'Provider events')
    await page.waitForLoadState('networkidle')
    const rows = page.getByRole('table', { name: 'Provider events' }).getByRole('row')
    const before = await rows.count()
    await runCampaign(stage.services, world, senderId)
    await until(async () => {
      await page.clock.fastForward(16_000)
      return (await rows.count()) > before
    })
    expect(stage.problems).toEqual([])
  })
})

describe('an unknown value of a filter in the address', () => {
  inBrowser('leaves it, and the list is that of no filter', async () => {
    const page = await stage.signedIn('owner')
    const audience = `/w/acme/newsletter/audiences/${world.audienceId}`
    for (const path of [
      '/platform/alerts?show=zzz',
      '/platform/dead-letters?service=zzz&state=zzz',
      '/platform/audit-log?since=zzz&until=zzz',
      '/platform/audit-log?since=1&until=2026-01-31',
      '/platform/suppressions?reason=zzz',
      '/w/acme/newsletter/contacts?suppressed=zzz',
      '/w/acme/newsletter/suppressions?scope=zzz&reason=zzz&state=zzz',
      '/w/acme/newsletter/campaigns?status=zzz',
      '/w/acme/newsletter/provider-events?event=zzz',
      '/w/acme/newsletter/runs?state=zzz&view=zzz',
      `${audience}?view=zzz`,
    ]) {
      await page.goto(`${stage.services.baseUrl}/console${path}`)
      await page.waitForURL(({ search }) => search === '')
      await page.waitForLoadState('networkidle')
      expect([path, await page.locator('main').getByRole('alert').allInnerTexts()]).toEqual([path, []])
    }
    await page.goto(`${stage.services.baseUrl}/console/platform/alerts?show=zzz`)
    await page.getByRole('radio', { name: 'Not acknowledged', checked: true }).waitFor({ state: 'attached' })
  })

  inBrowser('shows it where the values are those of the workspace, and it can be cleared', async () => {
    const page = await stage.signedIn('editor')
    await open(page, '/contacts?audience_id=zzz&tag=gone')
    await page.locator('[role=combobox][value="zzz"]').waitFor()
    await page.locator('[role=combobox][value="gone"]').waitFor()
    await page.getByRole('button', { name: 'Clear audience' }).click()
    await page.getByRole('button', { name: 'Clear tag' }).press('Enter')
    await page.waitForURL(({ search }) => search === '')
    await page.getByRole('table', { name: 'Contacts' }).waitFor()
  })

  inBrowser('leaves the address with the audience that it is about', async () => {
    const page = await stage.signedIn('editor')
    await open(page, `/contacts?audience_id=${world.audienceId}&member_state=withdrawn`)
    const contacts = page.getByRole('table', { name: 'Contacts' })
    await contacts.getByRole('link', { name: /^donald/ }).waitFor()
    await page.getByRole('button', { name: 'Clear audience' }).click()
    await contacts.getByRole('link', { name: /^ada/ }).waitFor()
    await page.waitForURL(({ search }) => search === '')
  })
})
