import { audienceOf } from '../audience.ts'
import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import { knownToFloor } from '../known-to-floor.ts'
import type { Result } from '../result.ts'
import { waysTo } from '../through.ts'

const members = 10_000

/** One contact, one audience, every reason: the question that a caller asks before anything else. */
export async function eligibility(bench: Bench): Promise<Result[]> {
  const audienceId = await audienceOf(bench, members)
  const contactOf = await knownToFloor(bench, audienceId)
  const results: Result[] = []
  for (const { where, origin } of waysTo(bench, 'gateway')) {
    const name = `single eligibility ${where}`
    bench.tell(name)
    const compared = await inTurns(
      bench,
      { name, unit: 'question' },
      {
        floor: { origin: bench.floor.origin, call: (n) => ({ method: 'GET', path: `/eligibility/${contactOf(n)}` }) },
        ours: {
          origin,
          call: (n) => ({
            method: 'GET',
            path: `${workspace}/contacts/${contactOf(n)}/eligibility/${audienceId}`,
            headers,
          }),
        },
      },
    )
    results.push({ name, unit: '/s', ...compared, floorIs: 'express 5 and one select' })
  }
  return results
}
