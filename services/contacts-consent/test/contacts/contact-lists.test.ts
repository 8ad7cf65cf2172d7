import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { cursorAfter } from '@lettergate/database/page'
import { unknownId, openContacts, type ContactsStage } from '../contacts-stage.ts'

let s: ContactsStage
let monthly: string
let offers: string
/** by name, oldest first */
const people: Record<string, string> = {}
const names = () => Object.entries(people)
const nameOf = (id: string) => names().find(([, known]) => known === id)?.[0] ?? id

beforeAll(async () => {
  s = await openContacts()
  monthly = await s.audience()
  offers = await s.audience()
  const write = async (name: string, email: string, more: object = {}) => {
    const { contact } = await s.contacts.upsertContact(s.us, { email, source: 'test', ...more })
    people[name] = contact!.id
  }
  await write('ada', 'ada@b.test', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    company: 'Engines',
    tags: ['vip', 'Press'],
  })
  await write('bob', 'bob@c.test', { firstName: 'Bob', company: '100%_off', tags: ['vip'] })
  await write('åsa', 'nordic@b.test', { firstName: 'ÅSA', lastName: 'Adamsson', tags: ['press'] })
  await write('legacy', 'old@d.test', { isLegacy: true, legacyConsentEvidence: { source: 'paper' } })
  await write('idn', 'x@bücher.test', { lastName: 'O\\Brien' })
  await s.subscribe(people['ada']!, monthly)
  await s.subscribe(people['bob']!, monthly)
  await s.subscribe(people['bob']!, offers)
  await s.contacts.unsubscribeContact(s.us, { contactId: people['bob']!, audienceId: monthly })
  const held = { contactId: people['legacy']!, scope: 'workspace', reason: 'manual' }
  const { suppressionId } = await s.contacts.suppressContact(s.us, held)
  await s.contacts.resolveSuppression(s.us, { suppressionId, resolutionReason: 'a mistake' })
  await s.contacts.suppressContact(s.us, { ...held, reason: 'legal', evidence: { page: 7 } })
  const foreignContact = await s.contact(s.them, 'nordic@b.test')
  await s.contacts.suppressContact(s.them, { contactId: foreignContact, scope: 'platform', reason: 'complaint' })
})
afterAll(() => s.close())

type Filter = Parameters<ContactsStage['contacts']['listContacts']>[1]
const found = async (filter: Filter) =>
  (await s.contacts.listContacts(s.us, filter)).contacts.map((contact) => nameOf(contact.id))

const findings: [Filter, string[]][] = [
  [{}, ['idn', 'legacy', 'åsa', 'bob', 'ada']],
  [{ search: 'AD' }, ['åsa', 'ada']],
  [{ search: 'åsa' }, ['åsa']],
  [{ search: 'engi' }, ['ada']],
  [{ search: 'ngines' }, []],
  [{ search: '100%_' }, ['bob']],
  [{ search: '1%0' }, []],
  [{ search: 'o\\b' }, ['idn']],
  [{ search: 'bob@c' }, ['bob']],
  [{ search: '@b.test' }, ['åsa', 'ada']],
  [{ search: '@b.tes' }, []],
  [{ search: '@Bücher.test' }, ['idn']],
  [{ search: '@' }, []],
  [{ tag: ['vip'] }, ['bob', 'ada']],
  [{ tag: ['vip', 'press'] }, ['åsa', 'bob', 'ada']],
  [{ tag: ['Vip'] }, []],
  [{ suppressed: true }, ['legacy', 'åsa', 'bob']],
  [{ suppressed: false }, ['idn', 'ada']],
  [{ legacyConsentClassification: 'partial' }, ['legacy']],
  [{ legacyConsentClassification: 'documented' }, []],
  [{ search: 'a', tag: ['press', 'Press'], suppressed: false }, ['ada']],
]

describe('contacts', () => {
  test.each(findings)('%j finds %j, newest first', async (filter, wanted) => {
    expect(await found(filter)).toEqual(wanted)
  })

  test('are found by their state in an audience', async () => {
    expect(await found({ audienceId: monthly })).toEqual(['bob', 'ada'])
    expect(await found({ audienceId: monthly, memberState: 'active' })).toEqual(['ada'])
    expect(await found({ audienceId: monthly, memberState: 'withdrawn' })).toEqual(['bob'])
    expect(await found({ audienceId: offers, memberState: 'active' })).toEqual(['bob'])
    const review = (since: string) =>
      s.stage.query(
        `update contacts.memberships set under_review_since = ${since} where contact_id = $1 and audience_id = $2`,
        [people['bob'], monthly],
      )
    await review('now()')
    expect(await found({ audienceId: monthly, memberState: 'under_review' })).toEqual(['bob'])
    expect(await found({ audienceId: offers, memberState: 'under_review' })).toEqual([])
    await review('null')
    const foreign = await s.audience(s.them)
    await s.subscribe(await s.contact(s.them), foreign, s.them)
    for (const audienceId of [foreign, unknownId]) expect(await found({ audienceId })).toEqual([])
  })

  test('are found by every filter, also behind thousands of newer ones', async () => {
    await s.stage.query(
      `insert into contacts.contacts (workspace_id, id, email, normalized_email)
       select $1, ('ffffffff-ffff-7fff-bfff-' || lpad(n::text, 12, '0'))::uuid, 'z' || n || '@z.test', 'z' || n || '@z.test'
         from generate_series(1, 1100) n`,
      [s.ours],
    )
    for (const [filter, wanted] of findings) {
      if (Object.keys(filter).some((key) => key !== 'suppressed') || filter.suppressed === true)
        expect({ filter, found: await found(filter) }).toEqual({ filter, found: wanted })
    }
    expect(await found({ audienceId: monthly, memberState: 'withdrawn' })).toEqual(['bob'])
    const first = await s.contacts.listContacts(s.us, { suppressed: true, limit: 2 })
    const second = await s.contacts.listContacts(s.us, { suppressed: true, limit: 2, cursor: first.nextCursor! })
    expect([...first.contacts, ...second.contacts].map((one) => nameOf(one.id))).toEqual(['legacy', 'åsa', 'bob'])
    await s.stage.query("delete from contacts.contacts where workspace_id = $1 and normalized_email like 'z%'", [
      s.ours,
    ])
  })

  test('are found by their creation time, to the millisecond', async () => {
    const { contacts } = await s.contacts.listContacts(s.us, {})
    const bob = contacts.find((contact) => contact.id === people['bob'])!
    const rest = (filter: Filter) => found(filter)
    expect(await rest({ createdAfter: bob.createdAt! })).toEqual(expect.not.arrayContaining(['ada']))
    expect(await rest({ createdBefore: bob.createdAt! })).toEqual(['ada'])
    const years = (year: number) => timestampFromDate(new Date(`${year}-01-01T00:00:00Z`))
    expect(await rest({ createdAfter: years(9999) })).toEqual([])
    expect(await rest({ createdBefore: years(1000) })).toEqual([])
    expect(await rest({ createdAfter: years(1000), createdBefore: years(9999) })).toHaveLength(5)
  })

  test('show the fields of the list and no data of another tenant', async () => {
    const { contacts, nextCursor } = await s.contacts.listContacts(s.us, { search: 'ada@' })
    expect(contacts).toMatchObject([
      { email: 'ada@b.test', firstName: 'Ada', company: 'Engines', tags: ['vip', 'Press'], isSuppressed: false },
    ])
    expect(nextCursor).toBeUndefined()
    const theirs = (await s.contacts.listContacts(s.them, {})).contacts.map((contact) => contact.email)
    expect(theirs).not.toContain('ada@b.test')
  })

  test('come in pages that contain each contact once, also during inserts', async () => {
    const seen: string[] = []
    let late: string | undefined
    let cursor: string | undefined
    do {
      const page = await s.contacts.listContacts(s.us, { limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.contacts.map((contact) => contact.id))
      if (seen.length === 2) late = await s.contact()
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(seen.map(nameOf)).toEqual(['idn', 'legacy', 'åsa', 'bob', 'ada'])
    await s.contacts.deleteContact(s.us, { contactId: late! })
    const suppressed: string[] = []
    do {
      const page = await s.contacts.listContacts(s.us, { limit: 1, suppressed: true, ...(cursor && { cursor }) })
      suppressed.push(...page.contacts.map((contact) => nameOf(contact.id)))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(suppressed).toEqual(['legacy', 'åsa', 'bob'])
  })

  test.each<[string, Filter]>([
    ['search', { search: ' ' }],
    ['search', { search: 'x'.repeat(501) }],
    ['audience_id', { memberState: 'active' }],
    ['member_state', { memberState: 'gone', audienceId: unknownId }],
    ['legacy_consent_classification', { legacyConsentClassification: 'none' }],
    ['tags', { tag: [''] }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 201 }],
    ['cursor', { cursor: '' }],
    ['cursor', { cursor: 'x' }],
    ['cursor', { cursor: cursorAfter('suppressions', unknownId) }],
  ])('an invalid %s is refused with the name of the field', async (reason, filter) => {
    await expect(s.contacts.listContacts(s.us, filter)).rejects.toMatchObject({ code: 'invalid_argument', reason })
  })
})

describe('a single contact', () => {
  test('shows fields, origins, memberships, suppressions, and why each audience may mail or not', async () => {
    await s.contacts.upsertContact(s.us, {
      email: 'Bob@c.test',
      source: 'crm',
      sourceIdentifier: '7',
      sourceMetadata: { row: 1 },
      locale: 'en-GB',
      timezone: 'Europe/London',
      phone: '+44 1',
    })
    const { contact } = await s.contacts.getContact(s.us, { contactId: people['bob']! })
    expect(contact).toMatchObject({
      id: people['bob'],
      email: 'Bob@c.test',
      normalizedEmail: 'bob@c.test',
      firstName: 'Bob',
      locale: 'en-GB',
      timezone: 'Europe/London',
      phone: '+44 1',
      tags: ['vip'],
      customFields: {},
      isLegacy: false,
      isPlatformSuppressed: false,
    })
    expect(contact!.provenance).toMatchObject([
      { source: 'crm', sourceIdentifier: '7', sourceMetadata: { row: 1 }, isCreation: false },
      { source: 'test', isCreation: true },
    ])
    expect(contact!.memberships).toMatchObject([
      { audienceId: monthly, audienceName: 'Monthly', isActive: false, consent: 'withdrawn' },
      { audienceId: offers, isActive: true, consent: 'granted' },
    ])
    const unsubscribed = ['suppressed_audience', 'consent_withdrawn', 'not_subscribed']
    expect(contact!.eligibility).toMatchObject([
      { audienceId: monthly, audienceName: 'Monthly', eligible: false, reasons: unsubscribed },
      { audienceId: offers, eligible: true, reasons: [] },
    ])
    expect(contact!.suppressions).toMatchObject([
      { scope: 'audience', reason: 'unsubscribe', audienceId: monthly, audienceName: 'Monthly' },
    ])
  })

  test('counts a platform suppression of another organization and shows none of its fields', async () => {
    const { contact } = await s.contacts.getContact(s.us, { contactId: people['åsa']! })
    expect(contact).toMatchObject({ isPlatformSuppressed: true, suppressions: [], memberships: [] })
    expect(contact!.eligibility.map((one) => one.reasons)).toEqual([
      ['suppressed_platform', 'consent_missing', 'not_subscribed'],
      ['suppressed_platform', 'consent_missing', 'not_subscribed'],
    ])
  })

  test('shows only the newest fifty provenance entries', async () => {
    const contactId = await s.contact(s.as(s.theirs), 'often@example.com')
    for (let n = 1; n <= 52; n += 1)
      await s.contacts.upsertContact(s.them, { email: 'often@example.com', source: `s${n}` })
    const { contact } = await s.contacts.getContact(s.them, { contactId })
    expect(contact!.provenance.map((origin) => origin.source)).toEqual(
      Array.from({ length: 50 }, (_, n) => `s${52 - n}`),
    )
  })

  test('answers not_found if it is unknown or another tenant’s', async () => {
    for (const contactId of [unknownId, 'x', await s.contact(s.them)]) {
      await expect(s.contacts.getContact(s.us, { contactId })).rejects.toMatchObject({
        code: 'not_found',
        reason: 'contact',
      })
    }
  })
})

test('audiences are listed with the number of their active members', async () => {
  await s.stage.query('update contacts.audiences set archived_at = now() where id = $1', [offers])
  const { audiences } = await s.contacts.listAudiencesWithCounts(s.us, {})
  expect(audiences).toMatchObject([
    { id: monthly, name: 'Monthly', isArchived: false, activeMemberCount: 1, minimumIntervalSeconds: 0 },
    { id: offers, isArchived: true, activeMemberCount: 1 },
  ])
  expect(audiences[0]!.archivedAt).toBeUndefined()
  await s.stage.query('update contacts.audiences set archived_at = null where id = $1', [offers])
})
