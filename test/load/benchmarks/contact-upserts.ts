import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'
import { originsOf } from '../origins.ts'

const known = 2_000

/** Every second contact is new; the others exist after the warm-up. */
const person = (n: number) => {
  const email = n % 2 === 0 ? `New.${n}@Example.test` : `Known.${n % known}@Example.test`
  return JSON.stringify({ email, first_name: `Name ${n}`, source: 'bench' })
}

/** Contacts are created and changed; half of them exist already. */
export async function contactUpserts(bench: Bench): Promise<Result[]> {
  const { floor, print } = bench
  const results: Result[] = []
  for (const { where, origin } of originsOf(bench, 'gateway')) {
    const name = `contact upserts ${where}`
    print(name)
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
