import type { Bench } from './bench.ts'

/** The members of an audience, who are put into the table that the floor reads from. Answers the contact id of number `n`. */
export async function knownToFloor({ look, floor }: Bench, audienceId: string): Promise<(n: number) => string> {
  const { rows } = await look.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  await floor.pool.query(
    'insert into members (contact_id, email) select id, id::text from unnest($1::uuid[]) id on conflict do nothing',
    [rows.map((row) => row.contact_id)],
  )
  return (n) => rows[n % rows.length]!.contact_id
}
