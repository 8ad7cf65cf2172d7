import { workspace, type Bench } from './bench.ts'
import { tagNames, tagsOfPerson } from './people.ts'

const audiences = new WeakMap<Bench, Map<number, Promise<string>>>()

/** An audience with this number of consented members. The first call creates it, and the benchmarks share it. */
export function audienceOf(bench: Bench, members: number): Promise<string> {
  const ofBench = audiences.get(bench) ?? new Map<number, Promise<string>>()
  audiences.set(bench, ofBench)
  const known = ofBench.get(members) ?? fillAudience(bench, { slug: `bench-${members}`, members, suffix: `'+silent'` })
  ofBench.set(members, known)
  return known
}

/** The address of member number `n` of an audience; its local part ends in `suffix`. */
export const addressOf = (slug: string, n: number, suffix: string): string => `${slug}.${n}${suffix}@example.test`

/**
 * Creates an audience with this number of consented members. SQL writes the rows directly, because other benchmarks measure
 * the services. `suffix` is an SQL expression of `n`, the number of a member from 1: the end of the local part of the
 * address, from which the local mail provider reads its behaviour.
 */
export async function fillAudience(
  { api, database, print }: Pick<Bench, 'api' | 'database' | 'print'>,
  { slug, members, suffix }: { slug: string; members: number; suffix: string },
): Promise<string> {
  print(`filling an audience with ${members} members`)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Bench',
    slug,
    purpose: 'measure',
  })
  await database.query(
    `insert into contacts.tags (workspace_id, id, name)
     select workspace_id, gen_random_uuid(), unnest($2::text[]) from contacts.audiences where id = $1 on conflict do nothing`,
    [audience.id, tagNames],
  )
  await database.query(
    `with people as materialized (
       select a.workspace_id, gen_random_uuid() as id, n, address, ${tagsOfPerson} as tags
         from contacts.audiences a, generate_series(1, $2::int) n, lateral (select a.slug || '.' || n || ${suffix} || '@example.test' as address) named
        where a.id = $1),
     made as (
       insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name)
       select workspace_id, id, address, address, 'Bench ' || n from people),
     tagged as (
       insert into contacts.contact_tags (workspace_id, contact_id, tag_id, position)
       select p.workspace_id, p.id, t.id, l.position
         from people p cross join lateral unnest(p.tags) with ordinality as l (name, position)
         join contacts.tags t on t.workspace_id = p.workspace_id and t.name = l.name)
     insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent, consent_changed_at)
     select workspace_id, $1, id, true, 'granted', now() from people`,
    [audience.id, members],
  )
  await database.query('analyze contacts.contacts, contacts.contact_tags, contacts.memberships')
  return audience.id
}
