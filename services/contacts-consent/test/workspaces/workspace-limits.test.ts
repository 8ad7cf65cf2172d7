import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { workspaceLimits } from '../../src/workspaces/workspace-limits.ts'
import { openContacts, origin, type ContactsStage } from '../source-stage.ts'

/** A workspace never has more of anything than one answer can carry. */
let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

/** So many rows that there is room for `room` more. */
const fill = {
  audiences: (workspaceId: string, room = 0) =>
    s.stage.query(
      `insert into contacts.audiences (workspace_id, id, name, slug, purpose)
       select $1, gen_random_uuid(), 'An audience', 'a-' || n, 'x' from generate_series(1, $2) n`,
      [workspaceId, workspaceLimits.audiences - room],
    ),
  tags: (workspaceId: string, room = 0) =>
    s.stage.query(
      `insert into contacts.tags (workspace_id, id, name)
       select $1, gen_random_uuid(), 'tag ' || n from generate_series(1, $2) n`,
      [workspaceId, workspaceLimits.tags - room],
    ),
  sources: (workspaceId: string, room = 0) =>
    s.stage.query(
      `insert into contacts.subscription_sources (workspace_id, id, slug, display_name, allows_all_audiences,
              allowed_audience_ids, allowed_origins, created_by)
       select $1, gen_random_uuid(), 's-' || n, 'A source', true, '{}', array[$2], 'test' from generate_series(1, $3) n`,
      [workspaceId, origin, workspaceLimits.subscription_sources - room],
    ),
}
const settledAs = (answers: PromiseSettledResult<unknown>[]) =>
  answers.map((one) => (one.status === 'fulfilled' ? 'made' : (one.reason as { code: string; reason: string })))
const refusedOf = (answers: PromiseSettledResult<unknown>[]) => settledAs(answers).filter((one) => one !== 'made')

test('audiences have a limit, also with concurrent requests, and one list answers all of them', async () => {
  const workspace = await s.workspace()
  const us = s.as(workspace)
  await fill.audiences(workspace, 3)
  const create = (n: number) => s.contacts.createAudience(us, { name: 'One', slug: `one-${n}`, purpose: 'x' })
  const answers = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => create(n)))
  expect(refusedOf(answers)).toHaveLength(9)
  for (const refusal of refusedOf(answers))
    expect(refusal).toMatchObject({ code: 'failed_precondition', reason: 'audiences' })
  await expect(create(99)).rejects.toThrow(/at most 1000 audiences.*Delete one/)

  expect((await s.contacts.listAudiences(us, {})).audiences).toHaveLength(workspaceLimits.audiences)
  const { audiences } = await s.contacts.listAudiencesWithCounts(us, {})
  expect(audiences).toHaveLength(workspaceLimits.audiences)
  await s.contacts.deleteAudience(us, { audienceId: audiences.find((one) => one.slug === 'a-1')!.id })
  await create(99)
})

test('a single contact shows all audiences, also with the maximum number of audiences', async () => {
  const workspace = await s.workspace()
  const us = s.as(workspace)
  await fill.audiences(workspace)
  const contactId = await s.contact(us, 'everywhere@example.com')
  await s.stage.query(
    `insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active)
     select workspace_id, id, $2, false from contacts.audiences where workspace_id = $1 order by id limit 300`,
    [workspace, contactId],
  )
  const { contact } = await s.contacts.getContact(us, { contactId })
  expect(contact!.memberships).toHaveLength(300)
  expect(contact!.eligibility).toHaveLength(workspaceLimits.audiences)
  const told = new Set(contact!.eligibility.map((one) => one.reasons.join()))
  expect(told).toEqual(new Set(['consent_missing,not_subscribed']))
})

test('an archived audience counts towards the limit, and audiences of another workspace do not', async () => {
  const workspace = await s.workspace()
  await fill.audiences(workspace)
  await s.stage.query('update contacts.audiences set archived_at = now() where workspace_id = $1', [workspace])
  const request = { name: 'One', slug: 'one', purpose: 'x' }
  await expect(s.contacts.createAudience(s.as(workspace), request)).rejects.toMatchObject({ reason: 'audiences' })
  await s.contacts.createAudience(s.us, request)
})

test('sources have a limit for every way of creation', async () => {
  const workspace = await s.workspace()
  const us = s.as(workspace)
  await fill.sources(workspace, 2)
  const request = (n: number) => ({
    slug: `one-${n}`,
    displayName: 'One',
    allowedOrigins: [origin],
    allowsAllAudiences: true,
  })
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) =>
      n % 2 === 0
        ? s.contacts.createSubscriptionSource(us, request(n))
        : s.contacts.createSubscriptionSourceWithCredential(us, request(n)),
    ),
  )
  expect(refusedOf(answers)).toHaveLength(6)
  for (const refusal of refusedOf(answers))
    expect(refusal).toMatchObject({ code: 'failed_precondition', reason: 'subscription_sources' })
  const { sources } = await s.contacts.listSubscriptionSources(us, {})
  expect(sources).toHaveLength(workspaceLimits.subscription_sources)
})

test('tags have a limit for every way of creation; a refused request writes nothing, and known tags still work', async () => {
  const workspace = await s.workspace()
  const us = s.as(workspace)
  await fill.tags(workspace, 4)
  const upsert = (email: string, tags: string[]) => s.contacts.upsertContact(us, { email, source: 'test', tags })
  const { contact } = await upsert('first@example.com', [])
  const contactId = contact!.id
  const answers = await Promise.allSettled([
    ...Array.from({ length: 6 }, (_, n) => s.contacts.registerTag(us, { name: `registered-${n}` })),
    ...Array.from({ length: 6 }, (_, n) => upsert(`one-${n}@example.com`, [`upserted-${n}`])),
    ...Array.from({ length: 2 }, (_, n) => s.contacts.applyTag(us, { contactId, tag: `applied-${n}` })),
  ])
  expect(refusedOf(answers)).toHaveLength(10)
  for (const refusal of refusedOf(answers))
    expect(refusal).toMatchObject({ code: 'failed_precondition', reason: 'tags' })
  const { tags } = await s.contacts.listTags(us, {})
  expect(tags).toHaveLength(workspaceLimits.tags)

  const refused = upsert('refused@example.com', [tags[0]!.name, 'one too many'])
  await expect(refused).rejects.toThrow(/at most 10000 tags.*merge/)
  await expect(s.contacts.lookupContact(us, { email: 'refused@example.com' })).rejects.toMatchObject({
    code: 'not_found',
  })
  const known = tags.slice(0, 50).map((tag) => tag.name)
  expect((await upsert('known@example.com', known)).contact!.tags).toEqual(known)
  expect((await s.contacts.applyTag(us, { contactId, tag: tags[1]!.id })).tag).toMatchObject({ id: tags[1]!.id })
})

test('custom fields have a limit, also with concurrent definitions', async () => {
  const workspace = await s.workspace()
  const room = 2
  await s.stage.query(
    `insert into contacts.field_definitions (workspace_id, id, field_key, version, label, field_type, created_by)
     select $1, gen_random_uuid(), 'field_' || n, 1, 'A label', 'text', 'test' from generate_series(1, $2) n`,
    [workspace, workspaceLimits.field_definitions - room],
  )
  const define = (fieldKey: string) =>
    s.contacts.defineContactField(s.as(workspace), { fieldKey, label: 'One', fieldType: 'text' })
  const answers = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => define(`more_${n}`)))
  expect(refusedOf(answers)).toHaveLength(10 - room)
  for (const refusal of refusedOf(answers)) expect(refusal).toMatchObject({ reason: 'field_key' })
  expect((await s.contacts.listContactFields(s.as(workspace), {})).fieldDefinitions).toHaveLength(500)
})

test('the schema and the messages have the same limits', async () => {
  for (const [table, most] of Object.entries(workspaceLimits)) {
    const [trigger] = await s.stage.query<{ args: Buffer }>('select tgargs as args from pg_trigger where tgname = $1', [
      `${table}_limit`,
    ])
    expect([table, Number(trigger!.args.toString().split('\0')[0])]).toEqual([table, most])
  }
})

test('an upsert with more custom fields than a workspace can have is refused before they are parsed', async () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
  const write = (count: number) =>
    s.contacts.upsertContact(s.us, { email: `${newId()}@example.com`, source: 'test', customFields: fields(count) })
  await expect(write(20_000)).rejects.toThrow('custom_fields has more than 500 keys')
  await expect(write(501)).rejects.toMatchObject({ code: 'invalid_argument', reason: 'custom_fields' })
  await expect(write(500)).rejects.toThrow('is not defined')
})
