import { test } from '@jest/globals'
import { existsSync } from 'node:fs'

/** Chromium of Debian; `apt-get install --no-install-recommends chromium fonts-liberation` installs it. */
export const chromiumPath = '/usr/bin/chromium'

export const hasChromium = existsSync(chromiumPath)
if (!hasChromium)
  process.stderr.write(`skipped: tests of the console in a browser, because ${chromiumPath} is not on this machine\n`)

/** A test in a real browser; skipped on a machine without one. */
export const inBrowser: (name: string, run: () => Promise<void>) => void = hasChromium ? test : test.skip
