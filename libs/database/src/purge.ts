const rowsAStep = 1_000
const stepsATime = 100

/** The result of a purge. It is `unfinished` if old rows are left after the last step. The job then runs again soon. */
export interface Purged {
  deleted: number
  result: 'finished' | 'unfinished'
}

/**
 * Deletes old rows in steps, each in its own short transaction, until a step finds fewer rows than its limit. After 100 steps
 * the rest is left for the next run, so that the process can stop quickly. Answers the number of deleted rows.
 */
export async function purge(
  step: (most: number) => Promise<number>,
  { rows = rowsAStep, steps = stepsATime } = {},
): Promise<Purged> {
  let deleted = 0
  for (let done = 0; done < steps; done += 1) {
    const found = await step(rows)
    deleted += found
    if (found < rows) return { deleted, result: 'finished' }
  }
  return { deleted, result: 'unfinished' }
}

/** The result of several purges: `unfinished` if one of them is. */
export const resultOf = (purges: readonly Purged[]): Purged['result'] =>
  purges.some(({ result }) => result === 'unfinished') ? 'unfinished' : 'finished'
