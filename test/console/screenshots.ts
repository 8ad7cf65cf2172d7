// Takes a screenshot of every page of the console, in both color schemes, narrow and wide. `make screenshots` runs it.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { chromiumPath, hasChromium } from './chromium.ts'
import { openConsoleStage } from './console-stage.ts'
import { openEveryPage } from './every-page.ts'
import { setGate, openSettings } from './world.ts'

const folder = resolve(process.argv[2] ?? '.local/screenshots')
const views = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 375],
  ['dark', 375],
] as const

if (!hasChromium) {
  process.stderr.write(
    `There is no browser at ${chromiumPath}. Install it: apt-get install chromium fonts-liberation\n`,
  )
  process.exit(1)
}
await mkdir(folder, { recursive: true })
const stage = await openConsoleStage(openSettings)
try {
  await setGate(stage.services, 'test_sends_enabled', true)
  const { pages } = await openEveryPage(stage.services)
  for (const [colorScheme, width] of views) {
    const page = await stage.signedIn('owner', { viewport: { width, height: width === 375 ? 800 : 900 }, colorScheme })
    for (const [name, address] of Object.entries(pages)) {
      await page.goto(`${stage.services.baseUrl}/console${address}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`), fullPage: true })
    }
    await page.context().close()
  }
  const count = views.length * Object.keys(pages).length
  process.stdout.write(`${count} screenshots are in ${folder}\n`)
} finally {
  await stage.close()
}
process.exit(stage.problems.length === 0 ? 0 : 1)
