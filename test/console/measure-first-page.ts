// Measures the first page of the console: when something is painted, and how many bytes it takes.
// Run it alone on the machine: node --no-warnings test/console/measure-first-page.ts
import type { Page } from 'playwright-core'
import { openConsoleStage } from './console-stage.ts'

const visits = 10

interface FirstPage {
  paint: number
  largest: number
  bytes: number
  files: number
}

/** What the browser stored about a page that nothing was kept of. */
const measured = (page: Page): Promise<FirstPage> =>
  page.evaluate<FirstPage>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      resolve({
        paint: performance.getEntriesByName('first-contentful-paint')[0].startTime,
        largest: list.getEntries().at(-1).startTime,
        bytes: all.reduce((sum, entry) => sum + entry.encodedBodySize, 0),
        files: all.length,
      })
    }).observe({ type: 'largest-contentful-paint', buffered: true })
  })`)

const median = (values: number[]) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!

const stage = await openConsoleStage()
try {
  for (const [name, address] of [
    ['sign-in', '/console'],
    ['home', '/console/w/acme/newsletter'],
  ] as const) {
    const found: FirstPage[] = []
    for (let visit = 0; visit < visits; visit++) {
      const page = name === 'sign-in' ? await stage.visit() : await stage.signedIn('owner')
      const client = await page.context().newCDPSession(page)
      await client.send('Network.clearBrowserCache')
      await page.goto(`${stage.services.baseUrl}${address}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      found.push(await measured(page))
      await page.context().close()
    }
    const [paints, largest] = [found.map(({ paint }) => paint), found.map((one) => one.largest)]
    process.stdout.write(
      `${name}: first contentful paint median ${median(paints).toFixed(0)} ms, slowest ${Math.max(...paints).toFixed(0)} ms; ` +
        `largest contentful paint median ${median(largest).toFixed(0)} ms; ` +
        `${found[0]!.files} files, ${(found[0]!.bytes / 1_000).toFixed(1)} kB as transferred\n`,
    )
  }
} finally {
  await stage.close()
}
process.exit(0)
