import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import type { Seal } from '../../src/consent-record/seal-hashes.ts'
import { compareSeals } from '../../src/consent-record/compare-seals.ts'
import type { SealedRow } from '../../src/consent-record/consent-seal.entity.ts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newImport } from '../imports/import-stage.ts'

let s: ContactsStage
beforeAll(async () => {
  s = await openContacts()
})
afterAll(() => s.close())

const waiting = (workspaceId: string) =>
  s.stage.query('select 1 from contacts.unsealed_consent_batches where workspace_id = $1', [workspaceId])

/** Every seal with its rows, as the check reads them. */
const sealed = (workspaceId: string) =>
  s.stage.query<SealedRow>(
    `select to_jsonb(s) as seal, to_jsonb(e) as event, k.salt, k.evidence, b.sha256 as contact_link
       from contacts.consent_seals s
       left join contacts.consent_events e on e.id = s.event_id
       left join contacts.consent_evidence k on k.event_id = s.event_id
       left join contacts.consent_seals b on b.workspace_id = s.workspace_id and b.contact_id = s.contact_id
                                         and b.contact_position = s.contact_position - 1
      where s.workspace_id = $1 order by s.position`,
    [workspaceId],
  )

test('an event is sealed within seconds, with its evidence by a salted hash', async () => {
  const workspaceId = await s.workspace()
  const caller = s.as(workspaceId)
  const [contact, audience] = [await s.contact(caller), await s.audience(caller)]
  await s.subscribe(contact, audience, caller)
  await s.contacts.suppressContact(caller, { contactId: contact, scope: 'workspace', reason: 'manual' })
  await until(async () => (await waiting(workspaceId)).length === 0)
  const rows = await sealed(workspaceId)
  expect(rows.map(({ seal, event }) => [seal.position, seal.contact_position, event!['kind']])).toEqual([
    [1, 1, 'granted'],
    [2, 2, 'suppressed'],
  ])
  expect(rows[0]).toMatchObject({ evidence: { ip: '192.0.2.1' }, event: { evidence_sha256: expect.any(String) } })
  expect(rows[1]).toMatchObject({ salt: null, event: { evidence_sha256: null } })
})

test('with many writers and several sealers, every event is sealed once, without gaps and in commit order for each contact', async () => {
  await Promise.all([s.boot(), s.boot()])
  const workspaces = await Promise.all([s.workspace(), s.workspace()])
  const written = await Promise.all(
    workspaces.map(async (workspaceId) => {
      const caller = s.as(workspaceId)
      const audience = await s.audience(caller)
      const contacts = await Promise.all(Array.from({ length: 8 }, () => s.contact(caller)))
      const kindsOf = await Promise.all(
        contacts.map(async (contact) => {
          for (let round = 0; round < 6; round += 1) {
            await s.subscribe(contact, audience, caller)
            await s.contacts.unsubscribeContact(caller, { contactId: contact, audienceId: audience })
            for (const { id, resolved_at } of await s.suppressions(contact)) if (!resolved_at) await s.resolve(id)
          }
          return contact
        }),
      )
      return { workspaceId, contacts: kindsOf }
    }),
  )
  for (const { workspaceId, contacts } of written) {
    await until(async () => (await waiting(workspaceId)).length === 0)
    const rows = await sealed(workspaceId)
    const events = await s.stage.query<{ id: string }>(
      'select id from contacts.consent_events where workspace_id = $1',
      [workspaceId],
    )
    expect(events).toHaveLength(contacts.length * 12)
    expect(new Set(rows.map(({ seal }) => seal.event_id))).toEqual(new Set(events.map(({ id }) => id)))
    expect(rows.map(({ seal }) => seal.position)).toEqual(events.map((_, index) => index + 1))
    expect(compareSeals(rows, { position: 0, sha256: null }).mismatches).toEqual([])
    for (const contact of contacts) {
      const own = rows.filter(({ seal }) => seal.contact_id === contact)
      expect(own.map(({ seal }) => seal.contact_position)).toEqual(own.map((_, index) => index + 1))
      expect(own.map(({ event }) => event!['kind'])).toEqual(
        own.map((_, index) => (index % 2 === 0 ? 'granted' : 'withdrawn')),
      )
    }
  }
})

test('an event that is removed before it is sealed raises an alert and does not block later events', async () => {
  const workspaceId = await s.workspace()
  const caller = s.as(workspaceId)
  const [contact, audience] = [await s.contact(caller), await s.audience(caller)]
  // a sealer elsewhere is at work, so the event stays unsealed for the moment
  const lock = `pg_advisory_lock(hashtextextended('seal consent record ' || $1::text, 0))`
  const held = new pg.Client({ connectionString: s.stage.adminUrl })
  await held.connect()
  await held.query(`select ${lock}`, [workspaceId])
  const { consentEventId } = await s.subscribe(contact, audience, caller)
  await held.query('begin')
  await held.query('set local session_replication_role = replica')
  await held.query('delete from contacts.consent_events where id = $1', [consentEventId])
  await held.query('commit')
  await s.subscribe(contact, audience, caller)
  await held.end()
  await until(async () => (await waiting(workspaceId)).length === 0)
  expect((await sealed(workspaceId)).map(({ seal }: { seal: Seal }) => seal.position)).toEqual([1])
  expect((await s.announced('alert_raised')).filter((one) => one.workspace_id === workspaceId)).toHaveLength(1)
})

test('a proof seals only the events of its contact, also if one statement recorded those of others', async () => {
  const workspaceId = await s.workspace()
  const caller = s.as(workspaceId)
  const audience = await s.audience(caller)
  const sealer = new pg.Client({ connectionString: s.stage.adminUrl })
  await sealer.connect()
  await sealer.query(`select pg_advisory_lock(hashtextextended('seal consent record ' || $1::text, 0))`, [workspaceId])
  const rows = ['ada', 'ben', 'cai'].map((name) => ({ email: `${name}@one-statement.test`, status: 'subscribed' }))
  await newImport(s, audience, { caller }).apply(rows)
  const contacts = await s.stage.query<{ id: string }>(
    'select id from contacts.contacts where workspace_id = $1 order by normalized_email',
    [workspaceId],
  )
  const second = contacts[1]!.id
  const exported = s.contacts.getConsentProof(caller, { contactId: second })
  await until(
    async () =>
      (
        await s.stage.query(
          `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
        )
      ).length > 0,
  )
  await sealer.end()
  expect((await exported).proof).toMatchObject({ events: [{ seal: { position: 1, contact_position: 1 } }] })
  await until(async () => (await waiting(workspaceId)).length === 0)
  const seals = await sealed(workspaceId)
  expect(seals.map(({ seal }) => seal.contact_id)).toEqual([second, contacts[0]!.id, contacts[2]!.id])
  // Evidence of imports is stored in two parts, which only the service puts together.
  const links = seals.map((row) => ({ ...row, salt: null }))
  expect(compareSeals(links, { position: 0, sha256: null }).mismatches).toEqual([])
})
