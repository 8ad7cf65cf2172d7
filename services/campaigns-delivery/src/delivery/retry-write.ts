import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@lettergate/service'

const forMs = 20_000

/**
 * Writes down what has happened outside and cannot be taken back: tries again while the database cannot be reached, for
 * 20 s. What is lost after that is found by the sweeper as a claim without an owner.
 */
export async function retryWrite<T>(log: Logger, write: () => Promise<T>): Promise<T> {
  const end = performance.now() + forMs
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write()
    } catch (error) {
      if (performance.now() > end) throw error
      log.warn({ err: error, attempt }, 'the result of a hand-off could not be written down and will be tried again')
      await sleep(Math.min(2_000, 50 * 2 ** attempt))
    }
  }
}
