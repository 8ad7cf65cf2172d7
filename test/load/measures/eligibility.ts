import { failuresOf, fillAudience, headers, load, workspace, type Bench } from '../bench.ts'
import { drive } from '../drive.ts'
import type { Result } from '../result.ts'

const members = 10_000

/** One contact, one audience, every reason: the question that a caller asks before anything else. */
export async function eligibility(bench: Bench): Promise<Result[]> {
  const { stack, look, floor, tell } = bench
  const audienceId = await fillAudience(bench, 'bench-eligibility', members)
  const { rows } = await look.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  const contactOf = (n: number) => rows[n % rows.length]!.contact_id
  await floor.pool.query('insert into members (contact_id, email) select id, id::text from unnest($1::uuid[]) id', [
    rows.map((row) => row.contact_id),
  ])
  tell(`single eligibility, ${load.connections} connections`)
  const alone = await drive(floor.origin, {
    ...load,
    call: (n) => ({ method: 'GET', path: `/eligibility/${contactOf(n)}` }),
  })
  const ours = await drive(stack.base_url, {
    ...load,
    call: (n) => ({
      method: 'GET',
      path: `${workspace}/contacts/${contactOf(n)}/eligibility/${audienceId}`,
      headers,
    }),
  })
  return [
    {
      name: 'single eligibility',
      unit: '/s',
      ours: ours.perSecond,
      floor: alone.perSecond,
      floorIs: 'express 5 and one select',
      note: failuresOf(ours.failures),
    },
  ]
}
