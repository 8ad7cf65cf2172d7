import { failuresOf, headers, load, workspace, type Bench } from '../bench.ts'
import { drive } from '../drive.ts'
import type { Result } from '../result.ts'

const person = (n: number) =>
  JSON.stringify({ email: `Person.${n % 50_000}@Example.test`, first_name: `Name ${n}`, source: 'bench' })

/** Contacts created and changed through the edge, half of them known already. */
export async function contactUpserts({ stack, floor, tell }: Bench): Promise<Result[]> {
  tell(`upserts, ${load.connections} connections`)
  const alone = await drive(floor.origin, { ...load, call: (n) => ({ path: '/upsert', body: person(n) }) })
  const ours = await drive(stack.base_url, {
    ...load,
    call: (n) => ({ path: `${workspace}/contacts/upsert`, headers, body: person(n) }),
  })
  return [
    {
      name: 'contact upserts',
      unit: '/s',
      ours: ours.perSecond,
      floor: alone.perSecond,
      floorIs: 'express 5 and one upsert',
      note: failuresOf(ours.failures),
    },
  ]
}
