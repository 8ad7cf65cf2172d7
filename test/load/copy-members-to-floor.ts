import type { Bench } from './bench.ts'

/** Copies the members of an audience into the table that the floor reads. Returns a function for the contact id of number `n`. */
export async function copyMembersToFloor(
  { database, floor }: Bench,
  audienceId: string,
): Promise<(n: number) => string> {
  const { rows } = await database.query<{ contact_id: string }>(
    'select contact_id from contacts.memberships where audience_id = $1',
    [audienceId],
  )
  await floor.pool.query(
    'insert into members (contact_id, email) select id, id::text from unnest($1::uuid[]) id on conflict do nothing',
    [rows.map((row) => row.contact_id)],
  )
  return (n) => rows[n % rows.length]!.contact_id
}
