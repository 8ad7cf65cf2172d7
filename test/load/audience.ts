import { workspace, type Bench } from './bench.ts'
import { tagNames, tagsOfPerson } from './people.ts'

const filled = new WeakMap<Bench, Map<number, Promise<string>>>()

/** An audience with that many consented members, made when first asked for; measures share it. */
export function audienceOf(bench: Bench, members: number): Promise<string> {
  const ofBench = filled.get(bench) ?? new Map<number, Promise<string>>()
  filled.set(bench, ofBench)
  const known = ofBench.get(members) ?? fillAudience(bench, { slug: `bench-${members}`, members, suffix: `'+silent'` })
  ofBench.set(members, known)
  return known
}

/** The address of member number `n` of an audience, with what its local part ends in. */
export const addressOf = (slug: string, n: number, suffix: string): string => `${slug}.${n}${suffix}@example.test`

/**
 * A new audience with that many consented members, written past the services, which are measured elsewhere. `suffix` is SQL
 * over `n`, the number of a member from 1 on: what the local part ends in, which the local mail provider goes by.
 */
export async function fillAudience(
  { api, look, tell }: Pick<Bench, 'api' | 'look' | 'tell'>,
  { slug, members, suffix }: { slug: string; members: number; suffix: string },
): Promise<string> {
  tell(`filling an audience with ${members} members`)
  const { audience } = await api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Bench',
    slug,
    purpose: 'measure',
  })
  await look.query(
    `insert into contacts.tags (workspace_id, id, name)
     select workspace_id, gen_random_uuid(), unnest($2::text[]) from contacts.audiences where id = $1 on conflict do nothing`,
    [audience.id, tagNames],
  )
  await look.query(
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
  await look.query('analyze contacts.contacts, contacts.contact_tags, contacts.memberships')
  return audience.id
}
