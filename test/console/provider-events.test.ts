import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { hasChromium, inBrowser } from './browser.ts'
import { act, choose, isInSight, openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { openSending, openSettings, openWorld, runCampaign, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  await runCampaign(world, await openSending(stage.services, world.owner))
})
afterAll(async () => {
  await stage?.close()
})

/** Events of years ago, which the page has after those of the run. Answers their ids, the oldest first. */
async function addOlderEvents(count: number): Promise<string[]> {
  const added = await stage.services.stage.query<{ id: string }>(
    `insert into webhooks.provider_events (id, workspace_id, connection_id, provider_event_id, event, reason, occurred_at, received_at, body_bytes, body_sha256)
     select ('00000000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, workspace_id, connection_id, 'older-' || number, 'delivered',
            'The server of the recipient took it, long ago', now(), now(), 2, decode(repeat('00', 32), 'hex')
       from generate_series(1, $1::int) number, (select workspace_id, connection_id from webhooks.provider_events limit 1) known
     returning id`,
    [count],
  )
  return added.map(({ id }) => id).toSorted()
}

describe('the page of provider events', () => {
  inBrowser('show what the provider reported, with its details, and replay it for who may', async () => {
    const page = await stage.signedIn('owner')
    await page.getByRole('link', { name: 'Provider events' }).click()
    await choose(page, 'Kind', 'Not delivered')
    await page.waitForURL('**/provider-events?event=failed')
    const bounce = page.getByRole('row', { name: /Not delivered, and not tried again/ })
    await bounce.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('counts nothing twice').waitFor()
    await act(page, 'Replay it')
    await bounce.getByRole('button', { name: /^See/ }).click()
    const details = page.getByRole('dialog')
    await details.getByText('Replayed').waitFor()
    await details.getByText(/^[0-9a-f]{64}$/).waitFor()
    expect(page.url()).toContain('id=')

    const analyst = await stage.signedIn('analyst')
    await analyst.goto(page.url())
    await analyst.getByRole('dialog').getByText('Replayed').waitFor()
    expect(await analyst.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  })

  inBrowser('say that the event of a link is not among them', async () => {
    const page = await stage.signedIn('analyst')
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/provider-events?id=${randomUUID()}`)
    await page.getByRole('dialog').getByText('None of these events is the one of this link').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL('**/provider-events')
  })

  inBrowser('load older events until that of a link is there, and events of other kinds', async () => {
    const [oldest] = await addOlderEvents(120)
    const page = await stage.signedIn('analyst')
    const address = `${stage.services.baseUrl}/console/w/acme/newsletter/provider-events`
    await page.goto(`${address}?id=${oldest}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('The event of this link is not among those that are loaded. It may be older.').waitFor()
    await page.route('**/provider-events?*cursor=*', (route) => route.fulfill({ status: 503 }))
    await dialog.getByRole('button', { name: 'Load older events' }).click()
    await dialog.getByText('A part of the service does not answer').waitFor()
    await page.unroute('**/provider-events?*cursor=*')
    await dialog.getByRole('button', { name: 'Load older events' }).click()
    await dialog.getByText('The server of the recipient took it, long ago').waitFor()

    await page.goto(`${address}?event=failed&id=${oldest}`)
    await dialog.getByText('None of these events is the one of this link').waitFor()
    await dialog.getByRole('button', { name: 'Show every kind' }).click()
    await page.waitForURL(`${address}?id=${oldest}`)
    await dialog.getByRole('button', { name: 'Load older events' }).waitFor()
  })

  inBrowser('name for each event of the provider its run and recipient, also on a telephone', async () => {
    const page = await stage.signedIn('owner', { viewport: { width: 375, height: 800 } })
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/provider-events?event=failed`)
    const bounce = page.getByRole('row', { name: /Not delivered, and not tried again/ })
    expect(await isInSight(page, bounce.getByRole('button', { name: 'Replay' }))).toBe(true)
    expect(await isInSight(page, bounce.getByRole('button', { name: /^See/ }))).toBe(true)
    expect(await overflowOf(page)).toBe(0)
    await bounce.getByRole('link', { name: 'Spring newsletter' }).click()
    await page.getByRole('heading', { level: 1, name: 'Run of Spring newsletter' }).waitFor()
    await page.goBack()
    await bounce.getByRole('link', { name: 'edsger+hardbounce@people.example.com' }).click()
    await page.waitForURL(`**/contacts/${world.contacts['Edsger']}`)

    await page.route('**/newsletter/messages?*', (route) => route.fulfill({ status: 503 }))
    await page.goBack()
    await page.reload()
    await page.getByText('The runs and recipients of these events could not be read.').waitFor()
    await bounce.waitFor()
    await page.unroute('**/newsletter/messages?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await bounce.getByRole('link', { name: 'Spring newsletter' }).waitFor()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  inBrowser('make no exception and break no rule of the content security policy', async () => {
    expect(stage.problems).toEqual([])
  })
})
