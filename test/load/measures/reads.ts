import { headers, workspace, type Bench } from '../bench.ts'
import { audienceOf } from '../audience.ts'
import { inTurns } from '../in-turns.ts'
import { knownToFloor } from '../known-to-floor.ts'
import type { Result } from '../result.ts'
import { waysTo } from '../through.ts'

const members = 10_000

/** The audiences of the workspace: the read that integrations repeat most. */
export async function reads(bench: Bench): Promise<Result[]> {
  const contactOf = await knownToFloor(bench, await audienceOf(bench, members))
  const results: Result[] = []
  for (const { where, origin } of waysTo(bench, 'gateway')) {
    const name = `reads ${where}`
    bench.tell(name)
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
