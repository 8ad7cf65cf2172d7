import { audienceOf } from '../audience.ts'
import { headers, workspace, type Bench } from '../bench.ts'
import { inTurns } from '../in-turns.ts'
import type { Result } from '../result.ts'

const members = 10_000

/** One contact, one audience, every reason: the question that a caller asks before anything else. */
export async function eligibility(bench: Bench): Promise<Result[]> {
  const { stack, look, floor, tell } = bench
  const name = 'single eligibility'
  const audienceId = await audienceOf(bench, members)
  const { rows } = await look.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  const contactOf = (n: number) => rows[n % rows.length]!.contact_id
  await floor.pool.query('insert into members (contact_id, email) select id, id::text from unnest($1::uuid[]) id', [
    rows.map((row) => row.contact_id),
  ])
  tell(name)
  const compared = await inTurns(
    bench,
    { name, unit: 'question' },
    {
      floor: { origin: floor.origin, call: (n) => ({ method: 'GET', path: `/eligibility/${contactOf(n)}` }) },
      ours: {
        origin: stack.base_url,
        call: (n) => ({
          method: 'GET',
          path: `${workspace}/contacts/${contactOf(n)}/eligibility/${audienceId}`,
          headers,
        }),
      },
    },
  )
  return [{ name, unit: '/s', ...compared, floorIs: 'express 5 and one select' }]
}
