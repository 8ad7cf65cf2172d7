/** A session ends when its user was idle for two hours, although open pages read again every few seconds. */
const backgroundAfterMs = 60_000

let lastInputAt = performance.now()
for (const kind of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove', 'focus'])
  window.addEventListener(kind, () => void (lastInputAt = performance.now()), { capture: true, passive: true })

/** Marks a request that no user caused. It does not extend the session. */
export const backgroundHeaders = (): Record<string, string> =>
  performance.now() - lastInputAt > backgroundAfterMs ? { 'x-background-request': 'true' } : {}
