import { setTimeout as sleep } from 'node:timers/promises'
import { runPollsOfTests } from './polls.ts'

const pollsEveryMs = 250
const shortestMs = 25
const longestMs = 100

/**
 * Calls `question` until its answer is truthy, and returns that. After three minutes it fails with the last answer or error; on an
 * idle machine the answer takes milliseconds. Asks less often after a second, unless `everyMs` is given. Meanwhile the services
 * that the stage booted look for work, several times in the first second and then ever less often: many that wait would keep the
 * machine busy with their polls.
 */
export async function until<T>(
  question: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number; what?: string } = {},
): Promise<Exclude<NonNullable<T>, false>> {
  const { timeoutMs = 180_000, everyMs, what = 'the expected' } = options
  const began = performance.now()
  const end = began + timeoutMs
  let pollsAt = performance.now() + pollsEveryMs
  let last: unknown
  do {
    try {
      last = await question()
      if (last) return last as Exclude<NonNullable<T>, false>
    } catch (error) {
      last = error
    }
    if (performance.now() >= pollsAt) {
      runPollsOfTests()
      pollsAt = performance.now() + Math.max(pollsEveryMs, (performance.now() - began) / 4)
    }
    await sleep(everyMs ?? (performance.now() - began < 1_000 ? shortestMs : longestMs))
  } while (performance.now() < end)
  throw new Error(
    `waited ${timeoutMs} ms for ${what}; last: ${last instanceof Error ? last.message : JSON.stringify(last)}`,
    { cause: last },
  )
}
