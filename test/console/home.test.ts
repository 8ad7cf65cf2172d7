import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { hasChromium, inBrowser } from './browser.ts'
import { openConsoleStage, overflowOf, type ConsoleStage } from './console-stage.ts'
import { addDraft, openSending, openSettings, openWorld, runCampaign, workspace, type ConsoleWorld } from './world.ts'

let stage: ConsoleStage
let world: ConsoleWorld
let senderId: string
beforeAll(async () => {
  if (!hasChromium) return
  stage = await openConsoleStage(openSettings)
  world = await openWorld(stage.services)
  senderId = await openSending(stage.services, world.owner)
})
afterAll(async () => {
  await stage?.close()
})

async function schedule(name: string, inHours: number): Promise<string> {
  const { campaign_run: run } = await world.owner.ok<{ campaign_run: { id: string } }>(
    'POST',
    `${workspace}/campaign-drafts/${await addDraft(world, senderId, name)}/schedule`,
    { scheduled_for: new Date(Date.now() + inHours * 3_600_000).toISOString() },
    { 'idempotency-key': randomUUID() },
  )
  return run.id
}

describe('the first page', () => {
  inBrowser('says for each part that it could not be read, and reads it again', async () => {
    const page = await stage.signedIn('owner', { viewport: { width: 375, height: 800 } })
    const failing = ['**/newsletter/sending-overview', '**/newsletter/sending-domains', '**/newsletter/imports/csv']
    for (const url of failing)
      await page.route(url, (route) => route.fulfill({ status: 503, headers: { 'x-correlation-id': 'lost-4711' } }))
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter`)
    const parts = ['This needs you', 'To the first campaign', 'Handed off in 7 days', 'Bounced of them'].map((name) =>
      page.getByRole('region', { name }),
    )
    for (const part of parts) {
      await part.getByRole('alert').getByText('A part of the service does not answer').waitFor()
      await part.getByText('lost-4711').waitFor()
    }
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('region', { name: 'Audiences' }).getByText('in all').waitFor()

    for (const url of failing) await page.unroute(url)
    const [needs, steps, sent] = parts
    for (const part of [needs!, steps!, sent!]) await part.getByRole('button', { name: 'Try again' }).click()
    await sent!.getByText('0 by campaigns, 0 by automations').waitFor()
    await steps!.getByRole('link', { name: 'Write the first campaign' }).waitFor()
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    await page.getByText('No run is scheduled').waitFor()
  })

  inBrowser('has the totals of 7 days and the next runs, the earliest first', async () => {
    await runCampaign(world, senderId)
    await schedule('Later', 5)
    const nextId = await schedule('Soon', 2)
    const page = await stage.signedIn('analyst')
    const sent = page.getByRole('region', { name: 'Handed off in 7 days' })
    await sent.getByText(/^[1-9] by campaigns, 0 by automations$/).waitFor()
    await page
      .getByRole('region', { name: 'Delivered of them' })
      .getByText(/^\d.* %$/)
      .waitFor()
    const next = page.getByRole('table', { name: 'Next runs' })
    await next.getByRole('link', { name: 'Soon' }).waitFor()
    expect(await next.getByRole('link').allInnerTexts()).toEqual(['Soon', 'Later'])
    await next.getByRole('link', { name: 'Soon' }).click()
    await page.waitForURL(`**/runs/${nextId}`)
  })

  inBrowser('a campaign says what of it could not be read', async () => {
    const draftId = await addDraft(world, senderId, 'Half read')
    const page = await stage.signedIn('analyst')
    await page.route('**/newsletter/sender-identities', (route) => route.fulfill({ status: 503 }))
    await page.goto(`${stage.services.baseUrl}/console/w/acme/newsletter/campaigns/${draftId}`)
    const what = page.getByRole('region', { name: 'What is sent' })
    await what.getByRole('alert').waitFor()
    expect(await what.getByText('…').count()).toBe(0)
    await page.unroute('**/newsletter/sender-identities')
    await what.getByRole('button', { name: 'Try again' }).click()
    await what.getByText('<asa@mail.acme.test>').waitFor()
    expect(stage.problems).toEqual([])
  })
})
