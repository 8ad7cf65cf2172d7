import { existsSync } from 'node:fs'

const headlessShell = '/usr/bin/chromium-headless-shell'

/**
 * Chromium of Debian: `apt-get install --no-install-recommends chromium-headless-shell fonts-liberation`. The package `chromium`
 * works too, and needs more processor time.
 */
export const chromiumPath = existsSync(headlessShell) ? headlessShell : '/usr/bin/chromium'

export const hasChromium = existsSync(chromiumPath)
