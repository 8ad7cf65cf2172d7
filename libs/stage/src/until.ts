import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `question` until its answer is truthy, and returns that. After two minutes it fails with the last answer or error; on an
 * idle machine the answer takes milliseconds.
 */
export async function until<T>(
  question: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const { timeoutMs = 120_000, everyMs = 25, what = 'the expected' } = options
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
