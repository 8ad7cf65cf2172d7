import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { contexts, newId, openDatabase, sql, type Em } from '@lettergate/database'
import type { ListContactsRequest } from '@lettergate/contracts/contacts/v1/contact_lists'
import { createService } from '@lettergate/service'
import { contactsOnPage } from '../../src/contacts/contact-page.ts'
import { entities } from '../../src/entities.ts'
import { parseContactFilter } from '../../src/contacts/contact-filter.ts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

/** Many newer contacts, before the one that is looked for. */
const crowd = 6_000
/** The newest thousand may be looked at twice: as candidates and as rows. */
const readMax = 2_500

let s: ContactsStage
let target: string
let audience: string
let ctx: ReturnType<ReturnType<typeof contexts<object>>['ofCall']>
let stop: () => Promise<void>
beforeAll(async () => {
  s = await openContacts()
  audience = await s.audience()
  const { contact } = await s.contacts.upsertContact(s.us, {
    email: 'needle@hay.test',
    firstName: 'Needle',
    lastName: 'Pin',
    company: 'Works',
    tags: ['sharp'],
    source: 'test',
    isLegacy: true,
  })
  target = contact!.id
  await s.contacts.unsubscribeContact(s.us, { contactId: target, audienceId: audience })
  await s.stage.query(
    `insert into contacts.contacts (workspace_id, id, email, normalized_email, first_name, last_name, company)
     select $1, ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, 'p' || n || '@crowd.test', 'p' || n || '@crowd.test',
            'P' || n, 'Q' || n, 'R' || n from generate_series(1, ${crowd}) n`,
    [s.ours],
  )
  const { tag } = await s.contacts.registerTag(s.us, { name: 'blunt' })
  await s.stage.query(
    `insert into contacts.contact_tags (workspace_id, contact_id, tag_id, position)
     select workspace_id, id, $2, 1 from contacts.contacts where workspace_id = $1 and id <> $3`,
    [s.ours, tag!.id, target],
  )
  await s.stage.query(
    `insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active, consent)
     select workspace_id, $2, id, true, 'granted' from contacts.contacts where workspace_id = $1 and id <> $3`,
    [s.ours, audience, target],
  )
  for (const table of ['contacts', 'contact_tags', 'memberships', 'suppressions'])
    await s.stage.query(`vacuum analyze contacts.${table}`)
  const service = createService('looker', { logLevel: 'silent' })
  const db = await openDatabase(service, {
    url: s.stage.databaseUrl('contacts'),
    schema: 'contacts',
    entities,
    poolMax: 1,
  })
  ctx = contexts(db, service, {}).ofCall(s.us)
  stop = () => db.stop()
})
afterAll(async () => {
  await stop()
  await s.close()
})

const readSoFar = async (em: Em) => {
  const statistics = sql<{ read: number }>`
    select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables
     where schemaname = 'contacts' and relname = 'contacts'`
  return (await statistics.execute(em.getKysely())).rows[0]!.read
}

const pageAndReads = (request: ListContactsRequest) =>
  ctx.tx(async (em) => {
    const before = await readSoFar(em)
    const ids = await contactsOnPage(em, s.ours, { filter: parseContactFilter(request), after: null, limit: 51 })
    const read = (await readSoFar(em)) - before
    return { ids, isBounded: read > 0 && read <= readMax }
  })

test.each<[string, Partial<ListContactsRequest>]>([
  ['an address', { search: 'needle@' }],
  ['a first name', { search: 'NEED' }],
  ['a last name', { search: 'pi' }],
  ['a company', { search: 'wor' }],
  ['a domain', { search: '@hay.test' }],
  ['a tag', { tag: ['sharp'] }],
  ['any of two tags', { tag: ['sharp', 'unheard of'] }],
  ['a legacy classification', { legacyConsentClassification: 'undocumented' }],
  ['a suppression', { suppressed: true }],
  ['a withdrawal', { memberState: 'withdrawn' }],
  [
    'its age',
    { createdBefore: { $typeName: 'google.protobuf.Timestamp', seconds: 4_000_000_000n, nanos: 0 }, tag: ['sharp'] },
  ],
])('a contact behind thousands of newer ones is found by %s without reading them', async (_, filter) => {
  const request = { $typeName: 'x', tag: [], ...filter, ...(filter.memberState && { audienceId: audience }) }
  expect(await pageAndReads(request as unknown as ListContactsRequest)).toEqual({ ids: [target], isBounded: true })
})

test('a filter without matches reads only its index', async () => {
  const request = { search: `nobody ${newId()}`, tag: [] } as unknown as ListContactsRequest
  expect(await pageAndReads(request)).toEqual({ ids: [], isBounded: true })
})
