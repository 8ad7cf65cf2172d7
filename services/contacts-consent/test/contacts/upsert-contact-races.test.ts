import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let replica: ContactsStage['contacts']
beforeAll(async () => {
  s = await openContacts()
  const other = await s.boot()
  replica = await s.stage.client(ContactsConsent, other.rpcPort)
})
afterAll(() => s.close())

const through = (n: number) => (n % 2 ? s.contacts : replica)
const contactsLike = (pattern: string) =>
  s.stage.query<{ id: string }>('select id from contacts.contacts where normalized_email like $1', [pattern])

test('if many addresses claim a new source identity concurrently, one gets it; the others are conflicts and write nothing', async () => {
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) =>
        through(n).upsertContact(s.us, {
          email: `claim${n}.round${round}@example.com`,
          source: 'crm',
          sourceIdentifier: `round-${round}`,
        }),
      ),
    )
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 'rejected')
        expect(answer.reason).toMatchObject({ code: 'conflict', reason: 'source_identifier' })
    }
    const [only, ...others] = await contactsLike(`claim%.round${round}@example.com`)
    expect(others).toEqual([])
    const named = await s.stage.query('select contact_id from contacts.contact_sources where source_identifier = $1', [
      `round-${round}`,
    ])
    expect(named).toEqual([{ contact_id: only!.id }])
  }
})

test('if many callers may only create a contact concurrently, one does, and the others change nothing', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) =>
      through(n).upsertContact(s.us, {
        email: n % 3 ? 'Only@example.com' : 'only@EXAMPLE.com',
        source: 'console',
        firstName: `Name ${n}`,
        createOnly: true,
      }),
    ),
  )
  const made = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  expect(made).toMatchObject([{ created: true }])
  for (const answer of answers) {
    if (answer.status === 'rejected')
      expect(answer.reason).toMatchObject({ code: 'conflict', reason: 'contact_exists' })
  }
  const { contact } = await s.contacts.lookupContact(s.us, { email: 'only@example.com' })
  expect(contact).toMatchObject({ firstName: made[0]!.contact!.firstName, email: made[0]!.contact!.email })
  const provenance = 'select actor from contacts.contact_provenance where contact_id = $1'
  expect(await s.stage.query(provenance, [contact!.id])).toHaveLength(1)
})

test('a hundred identical concurrent upserts of a new address create one contact with one source identity', async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      through(n).upsertContact(s.us, {
        email: 'Identical@example.com',
        source: 'crm',
        sourceIdentifier: 'identical',
        firstName: 'Ada',
        tags: ['new'],
      }),
    ),
  )
  expect(answers.filter((answer) => answer.created)).toHaveLength(1)
  const made = await contactsLike('identical@example.com')
  expect(made).toHaveLength(1)
  for (const { contact } of answers) expect(contact).toMatchObject({ id: made[0]!.id, firstName: 'Ada', tags: ['new'] })
  const provenance = 'select is_creation from contacts.contact_provenance where contact_id = $1'
  const rows = await s.stage.query<{ is_creation: boolean }>(provenance, [made[0]!.id])
  expect(rows).toHaveLength(100)
  expect(rows.filter((row) => row.is_creation)).toHaveLength(1)
})

test('two concurrent subscribes and an unsubscribe end in the state of the consent record', async () => {
  const audience = await s.audience()
  for (let round = 0; round < 10; round += 1) {
    const contactId = await s.contact()
    const subscribe = (n: number) =>
      through(n).subscribeContact(s.us, { contactId, audienceId: audience, source: 'form', wordingVersion: 'v1' })
    await Promise.allSettled([
      subscribe(round),
      replica.unsubscribeContact(s.us, { contactId, audienceId: audience }),
      subscribe(round + 1),
    ])
    const kinds = (await s.events(contactId)).map((event) => event['kind'])
    // A grant after the withdrawal is refused, so the record has the grants first and the withdrawal last, and the state is withdrawn.
    expect(kinds.at(-1)).toBe('withdrawn')
    expect(kinds.slice(0, -1).every((kind) => kind === 'granted')).toBe(true)
    expect(await s.reasons(contactId, audience)).toEqual(['suppressed_audience', 'consent_withdrawn', 'not_subscribed'])
    const [membership] = await s.stage.query(
      'select m.is_active, m.consent, e.kind from contacts.memberships m join contacts.consent_events e on e.id = m.consent_event_id where m.contact_id = $1',
      [contactId],
    )
    expect(membership).toEqual({ is_active: false, consent: 'withdrawn', kind: 'withdrawn' })
  }
})
