import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const known = 2_000

/** Every other one is new; the others are known from the warm-up on. */
const person = (n: number) => {
  const email = n % 2 === 0 ? `New.${n}@Example.test` : `Known.${n % known}@Example.test`
  return JSON.stringify({ email, first_name: `Name ${n}`, source: 'bench' })
}

/** Contacts created and changed through the edge, half of them known already. */
export async function contactUpserts(bench: Bench): Promise<Result[]> {
  const { stack, floor, tell } = bench
  const name = 'contact upserts'
  tell('upserts')
  const compared = await inTurns(
    bench,
    { name, unit: 'upsert' },
    {
      floor: { origin: floor.origin, call: (n) => ({ path: '/upsert', body: person(n) }) },
      ours: {
        origin: stack.base_url,
        call: (n) => ({ path: `${workspace}/contacts/upsert`, headers, body: person(n) }),
      },
    },
  )
  return [{ name, unit: '/s', ...compared, floorIs: 'express 5 and one upsert' }]
}
