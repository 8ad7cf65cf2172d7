import { existsSync } from 'node:fs'

/** Chromium of Debian; `apt-get install --no-install-recommends chromium fonts-liberation` installs it. */
export const chromiumPath = '/usr/bin/chromium'

export const hasChromium = existsSync(chromiumPath)
