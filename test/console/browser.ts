import { test } from '@jest/globals'
import { chromiumPath, hasChromium } from './chromium.ts'

export { hasChromium } from './chromium.ts'

if (!hasChromium)
  process.stderr.write(`skipped: tests of the console in a browser, because ${chromiumPath} is not on this machine\n`)

/** A test in a real browser; skipped on a machine without one. */
export const inBrowser: (name: string, run: () => Promise<void>) => void = hasChromium ? test : test.skip
