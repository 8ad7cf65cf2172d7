import { setTimeout as sleep } from 'node:timers/promises'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'

/** About half a minute, so that the restart of a service does not end an import. */
const waitsMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]

export const isOutage = (error: unknown): boolean => error instanceof Fault && error.code === 'unavailable'

/** Repeats a call that may be repeated while the other service does not answer. Throws after half a minute, or when the worker stops. */
export async function patientCall<T>(ctx: Ctx, call: () => Promise<T>): Promise<T> {
  for (const waitMs of waitsMs) {
    try {
      return await call()
    } catch (error) {
      if (!isOutage(error) || ctx.signal.aborted) throw error
      await sleep(waitMs * (0.75 + Math.random() / 2), undefined, { signal: ctx.signal })
    }
  }
  return call()
}
