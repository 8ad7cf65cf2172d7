import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'

/** So that the restart of a service does not end an import. */
export const repeatForMs = 30_000
const firstWaitMs = 250
const longestWaitMs = 4_000

export const isOutage = (error: unknown): boolean => error instanceof Fault && error.code === 'unavailable'

/**
 * Repeats a call that may be repeated while the other service does not answer. Throws at the end of `repeatMs`, or when the worker
 * stops. A call that waits for an answer at that time is not ended.
 */
export async function patientCall<T>(ctx: Ctx, call: () => Promise<T>, repeatMs = repeatForMs): Promise<T> {
  const end = performance.now() + repeatMs
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      return await call()
    } catch (error) {
      if (!isOutage(error) || ctx.signal.aborted || performance.now() + waitMs > end) throw error
      await sleep(waitMs * (0.75 + Math.random() / 2), undefined, { signal: ctx.signal })
    }
  }
}
