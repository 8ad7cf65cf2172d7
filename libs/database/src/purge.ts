const rowsAStep = 1_000
const stepsATime = 100

/** What a purge came to. It is `unfinished` when its steps ran out before the old rows did; a job that answers so is run again soon. */
export interface Purged {
  gone: number
  result: 'finished' | 'unfinished'
}

/**
 * Deletes old rows in steps, each a short transaction of its own, until a step finds fewer than it may take. What is left
 * after 100 steps waits for the next time, so that a stop of the process does not wait for it. Answers how many rows went.
 */
export async function purge(
  step: (most: number) => Promise<number>,
  { rows = rowsAStep, steps = stepsATime } = {},
): Promise<Purged> {
  let gone = 0
  for (let done = 0; done < steps; done += 1) {
    const found = await step(rows)
    gone += found
    if (found < rows) return { gone, result: 'finished' }
  }
  return { gone, result: 'unfinished' }
}

/** Of several purges: unfinished when one of them is. */
export const resultOf = (purges: readonly Purged[]): Purged['result'] =>
  purges.some(({ result }) => result === 'unfinished') ? 'unfinished' : 'finished'
