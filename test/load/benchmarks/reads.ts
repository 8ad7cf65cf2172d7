import { headers, workspace, type Bench } from '../bench.ts'
import { audienceOf } from '../audience.ts'
import { inTurns } from '../in-turns.ts'
import { copyMembersToFloor } from '../copy-members-to-floor.ts'
import type { Result } from '../result.ts'
import { originsOf } from '../origins.ts'

const members = 10_000

/** The list of the audiences of a workspace, the read that integrations repeat most often. */
export async function reads(bench: Bench): Promise<Result[]> {
  const contactOf = await copyMembersToFloor(bench, await audienceOf(bench, members))
  const results: Result[] = []
  for (const { where, origin } of originsOf(bench, 'gateway')) {
    const name = `reads ${where}`
    bench.print(name)
    const compared = await inTurns(
      bench,
      { name, unit: 'read' },
      {
        floor: { origin: bench.floor.origin, call: (n) => ({ method: 'GET', path: `/eligibility/${contactOf(n)}` }) },
        ours: { origin, call: () => ({ method: 'GET', path: `${workspace}/audiences`, headers }) },
      },
    )
    results.push({ name, unit: '/s', ...compared, floorIs: 'express 5 and one select' })
  }
  return results
}
