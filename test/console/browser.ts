import { test } from '@jest/globals'
import { chromiumPath, hasChromium } from './chromium.ts'
import { closeProfiles } from './console-stage.ts'

export { hasChromium } from './chromium.ts'

if (!hasChromium)
  process.stderr.write(`skipped: tests of the console in a browser, because ${chromiumPath} is not on this machine\n`)

type BrowserTest = (name: string, run: () => Promise<void>) => void
const testOrSkip: BrowserTest = hasChromium ? test : test.skip

/** A test in a real browser, whose pages are closed after it; skipped on a machine without one. */
export const inBrowser: BrowserTest = (name, run) =>
  testOrSkip(name, async () => {
    try {
      await run()
    } finally {
      await closeProfiles()
    }
  })
