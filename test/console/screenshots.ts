// Takes a screenshot of every page of the console and of what opens over it, in both color schemes, at three widths. `make screenshots` runs it.
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { chromiumPath, hasChromium } from './chromium.ts'
import { openConsoleStage, overflowOf } from './console-stage.ts'
import { openEveryPage } from './every-page.ts'
import { openPictureWorld } from './picture-world.ts'
import { pictures, type Picture } from './pictures.ts'
import { openSettings } from './world.ts'

const folder = resolve(process.argv[2] || '.local/screenshots')
/** a part of the names, such as `dialog-` or `-dark-375`; several are separated by commas */
const only = process.argv[3]?.split(',') ?? ['']
const views = (['light', 'dark'] as const).flatMap((colors) =>
  [375, 1280, 1920].map((width) => [colors, width] as const),
)

if (!hasChromium) {
  process.stderr.write(
    `There is no browser at ${chromiumPath}. Install it: apt-get install chromium fonts-liberation\n`,
  )
  process.exit(1)
}
await mkdir(folder, { recursive: true })
const stage = await openConsoleStage(openSettings)
const failed: string[] = []
let count = 0
try {
  const { services } = stage
  await services.startWorker('imports')
  await services.startWorker('automations')
  const { world, senderId, pages: every } = await openEveryPage(services)
  const pages: Record<string, string> = {
    ...every,
    ...(await openPictureWorld(services, world, senderId)),
    console: '',
  }
  const all: Record<string, Picture> = {
    ...Object.fromEntries(Object.keys(pages).map((name) => [name, { of: name }])),
    ...pictures,
  }

  async function take(page: Page, file: string, { of, before, open, isWaiting }: Picture): Promise<void> {
    await before?.(page)
    await page.goto(`${services.baseUrl}/console${pages[of]}`)
    if (isWaiting) await page.getByRole('status', { name: 'Loading' }).first().waitFor()
    else {
      await page.getByRole('heading', { level: 1 }).or(page.locator('main').getByRole('alert')).first().waitFor()
      await page.waitForLoadState('networkidle')
    }
    await open?.(page)
    // Fonts, images and open lists are drawn in the frames after this.
    await page.waitForTimeout(300)
    await page.screenshot({
      path: join(folder, `${file}.png`),
      fullPage: (await page.getByRole('dialog').count()) === 0,
    })
    count += 1
    if ((await overflowOf(page)) > 0) failed.push(`${file}: the page is wider than its window`)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  }

  for (const [colorScheme, width] of views) {
    const options = { viewport: { width, height: width === 375 ? 800 : 900 }, colorScheme }
    const users = new Map<string | null, Page>()
    for (const [name, picture] of Object.entries(all)) {
      const file = `${name}-${colorScheme}-${width}`
      if (!only.some((part) => file.includes(part)) || (width > 1_280 && name.startsWith('dialog-'))) continue
      const { who = 'owner' } = picture
      const page = users.get(who) ?? (who === null ? await stage.visit(options) : await stage.signedIn(who, options))
      users.set(who, page)
      page.setDefaultTimeout(20_000)
      try {
        await take(page, file, picture)
      } catch (error) {
        failed.push(`${file}: ${String(error).split('\n')[0]}`)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
      }
    }
    for (const page of users.values()) await page.context().close()
  }
  process.stdout.write(`${count} screenshots are in ${folder}\n`)
} finally {
  await stage.close()
}
for (const problem of [...failed, ...stage.problems]) process.stderr.write(`${problem}\n`)
process.exit(failed.length + stage.problems.length === 0 ? 0 : 1)
