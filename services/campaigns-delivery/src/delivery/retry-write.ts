import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@lettergate/service'

const forMs = 20_000

/**
 * Stores a result that cannot be undone. Retries for 20 s while the database is unavailable. If it still fails, the sweeper
 * finds the claim later and marks it unknown.
 */
export async function retryWrite<T>(log: Logger, write: () => Promise<T>): Promise<T> {
  const end = performance.now() + forMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (performance.now() > end) throw error
      log.warn({ err: error, attempt }, 'the result of a hand-off could not be stored and will be tried again')
      await sleep(Math.min(2_000, 50 * 2 ** attempt))
    }
  }
}
