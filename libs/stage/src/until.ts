import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until the question is answered with something true, and answers it. Fails with the last answer or error after a
 * minute, which a busy machine may need for what takes milliseconds elsewhere.
 */
export async function until<T>(
  question: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const { timeoutMs = 60_000, everyMs = 25, what = 'the expected' } = options
  const end = performance.now() + timeoutMs
  let last: unknown
  do {
    try {
      last = await question()
      if (last) return last as Exclude<NonNullable<T>, false>
    } catch (error) {
      last = error
    }
    await sleep(everyMs)
  } while (performance.now() < end)
  throw new Error(
    `waited ${timeoutMs} ms for ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
    { cause: last },
  )
}
