import { audienceOf } from '../audience.ts'
import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import { copyMembersToFloor } from '../copy-members-to-floor.ts'
import type { Result } from '../result.ts'
import { originsOf } from '../origins.ts'

const members = 10_000

/** The eligibility of one contact in one audience, with every reason. */
export async function eligibility(bench: Bench): Promise<Result[]> {
  const audienceId = await audienceOf(bench, members)
  const contactOf = await copyMembersToFloor(bench, audienceId)
  const results: Result[] = []
  for (const { where, origin } of originsOf(bench, 'gateway')) {
    const name = `single eligibility ${where}`
    bench.print(name)
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
