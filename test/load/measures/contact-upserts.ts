import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'
import { waysTo } from '../through.ts'

const known = 2_000

/** Every other one is new; the others are known from the warm-up on. */
const person = (n: number) => {
  const email = n % 2 === 0 ? `New.${n}@Example.test` : `Known.${n % known}@Example.test`
  return JSON.stringify({ email, first_name: `Name ${n}`, source: 'bench' })
}

/** Contacts created and changed, half of them known already. */
export async function contactUpserts(bench: Bench): Promise<Result[]> {
  const { floor, tell } = bench
  const results: Result[] = []
  for (const { where, origin } of waysTo(bench, 'gateway')) {
    const name = `contact upserts ${where}`
    tell(name)
    const compared = await inTurns(
      bench,
      { name, unit: 'upsert' },
      {
        floor: { origin: floor.origin, call: (n) => ({ path: '/upsert', body: person(n) }) },
        ours: { origin, call: (n) => ({ path: `${workspace}/contacts/upsert`, headers, body: person(n) }) },
      },
    )
    results.push({ name, unit: '/s', ...compared, floorIs: 'express 5 and one upsert' })
  }
  return results
}
