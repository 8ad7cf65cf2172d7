// Measures how a list of 100,000 contacts scrolls: the time of each frame, while pages load and among loaded rows.
// Run it alone on the machine: node --no-warnings test/console/measure-scroll.ts
import type { Page } from 'playwright-core'
import { openConsoleStage } from './console-stage.ts'
import { openWorld } from './world.ts'

const count = 100_000

/** Scrolls for some frames by the same distance, and returns the milliseconds of each. */
const scroll = (page: Page, pixelsAFrame: number, frames: number): Promise<number[]> =>
  page.evaluate<number[]>(`new Promise((resolve) => {
    const frames = []
    let before
    const step = (now) => {
      if (before !== undefined) frames.push(now - before)
      before = now
      if (frames.length === ${frames}) return resolve(frames)
      scrollBy(0, ${pixelsAFrame})
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)

const at = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)]!.toFixed(1)

/** Prints the frames of a scroll, and the processor time of the page for each, which does not grow on a loaded machine. */
async function measure(page: Page, name: string, pixelsAFrame: number, count: number): Promise<void> {
  const client = await page.context().newCDPSession(page)
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const times = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name: of, value }) => [of, value]))
  }
  const before = await times()
  const frames = (await scroll(page, pixelsAFrame, count)).toSorted((one, other) => one - other)
  const after = await times()
  const spent = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration']
    .map(
      (of) =>
        `${of.replace('Duration', '').toLowerCase()} ${(((after[of]! - before[of]!) * 1_000) / count).toFixed(1)}`,
    )
    .join(', ')
  process.stdout.write(
    `${name}: median ${at(frames, 0.5)} ms, p95 ${at(frames, 0.95)}, p99 ${at(frames, 0.99)}, longest ${at(frames, 1)}; processor ms a frame: ${spent}\n`,
  )
  await client.detach()
}

const stage = await openConsoleStage()
try {
  const world = await openWorld(stage.services)
  await stage.services.stage.query(
    `insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name, last_name)
     select workspace_id, gen_random_uuid(), 'reader.' || n || '@many.example.com', 'reader.' || n || '@many.example.com', 'Reader', 'Number ' || n
     from contacts.contacts, generate_series(1, ${count}) n where id = $1`,
    [world.contacts['Ada']],
  )
  await stage.services.stage.query(
    `insert into contacts.contact_tags select (jsonb_populate_record(t, jsonb_build_object('contact_id', c.id))).*
     from contacts.contact_tags t, contacts.contacts c
     where t.contact_id = $1 and c.first_name = 'Reader'`,
    [world.contacts['Ada']],
  )
  await stage.services.stage.query('analyze contacts.contacts')
  const page = await stage.signedIn('owner', {
    at: '/w/acme/newsletter/contacts',
    viewport: { width: 1280, height: 900 },
  })
  const table = page.getByRole('table', { name: 'Contacts' })
  await table.getByRole('link').first().waitFor()
  await measure(page, '40 pixels a frame, pages load', 40, 400)
  await measure(page, '200 pixels a frame, pages load', 200, 300)
  await measure(page, '40 pixels a frame back', -40, 300)
  await measure(page, '400 pixels a frame back', -400, 100)
  const start = Date.now()
  await page.evaluate(`new Promise((resolve) => {
    const timer = setInterval(() => {
      scrollTo(0, document.documentElement.scrollHeight)
      if (document.body.innerText.includes('These are all')) resolve(clearInterval(timer))
    }, 20)
  })`)
  process.stdout.write(`all ${await table.getAttribute('aria-rowcount')} rows loaded in ${Date.now() - start} ms\n`)
  await measure(page, '40 pixels a frame back, all loaded', -40, 300)
  await measure(page, '400 pixels a frame back, all loaded', -400, 300)
  await measure(page, '5,000 pixels a frame back, all loaded', -5_000, 200)
} finally {
  await stage.close()
}
process.exit(0)
