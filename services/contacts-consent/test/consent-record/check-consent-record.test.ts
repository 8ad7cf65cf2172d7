import { fromBinary } from '@bufbuild/protobuf'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import pg from 'pg'
import { AlertRaisedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import { until } from '@lettergate/stage'
import { sealEvents } from '../../src/consent-record/seal-hashes.ts'
import { openContacts, type ContactsStage } from '../contacts-stage.ts'
import { newImport } from '../imports/import-stage.ts'

let s: ContactsStage
let superuser: pg.Client
beforeAll(async () => {
  s = await openContacts({ CONSENT_CHECK_EVERY_MS: '100' })
  superuser = new pg.Client({ connectionString: s.stage.adminUrl })
  await superuser.connect()
})
afterAll(async () => {
  await superuser.end()
  await s.close()
})

let workspaceId: string
let contact: string
let eventIds: string[]
beforeEach(async () => {
  workspaceId = await s.workspace()
  const caller = s.as(workspaceId)
  contact = await s.contact(caller)
  const audience = await s.audience(caller)
  eventIds = []
  for (let n = 0; n < 3; n += 1) eventIds.push((await s.subscribe(contact, audience, caller)).consentEventId)
  await until(async () => (await seals()) === 3)
  await round()
  expect(await alerts()).toEqual([])
})

const seals = async () =>
  (await s.stage.query('select 1 from contacts.consent_seals where workspace_id = $1', [workspaceId])).length

/** The first problem of each alert about this workspace. */
const alerts = async () =>
  (await s.announced('alert_raised'))
    .filter((one) => one.workspace_id === workspaceId)
    .map(({ payload }) => {
      const { code, severity, detail } = fromBinary(AlertRaisedSchema, payload)
      return { code, severity, ...(detail as { breaks: number; first: object[] }) }
    })

const check = async () =>
  (
    await s.stage.query<{ due: boolean; known_position: string }>(
      `select due_at > now() + interval '2 minutes' as due, known_position from contacts.consent_record_checks where workspace_id = $1`,
      [workspaceId],
    )
  )[0]

/** Lets a round begin now and waits until it has ended. */
async function round() {
  await s.stage.query(
    `insert into contacts.consent_record_checks (workspace_id) values ($1) on conflict (workspace_id) do update set due_at = now()`,
    [workspaceId],
  )
  await until(async () => (await check())?.due === true)
}

/** Runs statements as a superuser, without triggers. */
async function tamper(...statements: string[]) {
  await superuser.query('begin')
  await superuser.query('set local session_replication_role = replica')
  for (const statement of statements) await superuser.query(statement)
  await superuser.query('commit')
}

const last = () => eventIds.at(-1)!

test.each([
  ['changed', `update contacts.shared_details set details = details || '{"evidence_reference": "ticket 8"}'`],
  ['removed', 'delete from contacts.shared_details'],
])(
  'when the details that rows of an import share are %s, the evidence of each row counts as changed',
  async (_, statement) => {
    const caller = s.as(workspaceId)
    const rows = [newId(), newId()].map((id) => ({ email: `${id}@example.com`, status: 'subscribed' }))
    await newImport(s, await s.audience(caller), { caller }).apply(rows)
    await until(async () => (await seals()) === 3 + rows.length)
    await round()
    expect(await alerts()).toEqual([])
    await tamper(`${statement} where workspace_id = '${workspaceId}'`)
    await round()
    const problem = { problem: 'the evidence was changed' }
    expect(await alerts()).toMatchObject([{ breaks: rows.length, first: [problem, problem] }])
  },
)

test.each<[string, () => string[], string]>([
  [
    'an event is changed',
    () => [`update contacts.consent_events set wording_version = 'v9' where id = '${eventIds[1]}'`],
    'the event was changed',
  ],
  [
    'an event is removed',
    () => [`delete from contacts.consent_events where id = '${eventIds[1]}'`],
    'the event was removed',
  ],
  [
    'evidence is changed',
    () => [
      `update contacts.consent_evidence set evidence = '{"ip": "198.51.100.1"}' where event_id = '${eventIds[1]}'`,
    ],
    'the evidence was changed',
  ],
  [
    'a seal is changed',
    () => [`update contacts.consent_seals set sealed_at = now() where event_id = '${eventIds[1]}'`],
    'the seal was changed',
  ],
  [
    'an event and its seal are removed',
    () => [
      `delete from contacts.consent_events where id = '${eventIds[1]}'`,
      `delete from contacts.consent_seals where event_id = '${eventIds[1]}'`,
    ],
    'seals before this one were removed',
  ],
  [
    'the end is cut off, event and seal',
    () => [
      `delete from contacts.consent_events where id = '${last()}'`,
      `delete from contacts.consent_seals where event_id = '${last()}'`,
    ],
    'seals were removed from the end',
  ],
  [
    'an event is inserted',
    () => [
      `insert into contacts.consent_events (workspace_id, id, contact_id, kind, scope, source, actor, actor_kind, correlation_id, occurred_at) values ('${workspaceId}', '${newId()}', '${contact}', 'withdrawn', 'workspace', 'x', 'x', 'human', 'x', now())`,
    ],
    'the event has no seal',
  ],
])(
  'when %s without the triggers of the database, each check raises one critical alert',
  async (_, statements, problem) => {
    await tamper(...statements())
    await round()
    const raised = await alerts()
    expect(raised).toMatchObject([
      {
        code: 'consent_record_broken',
        severity: 'critical',
        first: expect.arrayContaining([expect.objectContaining({ problem })]),
      },
    ])
    expect(JSON.stringify(raised)).not.toContain('@')
    await round()
    expect(await alerts()).toHaveLength(2)
  },
)

test('a record that was rewritten with new hashes differs from the one of the last check and is detected', async () => {
  await tamper(`update contacts.consent_events set wording_version = 'v9' where id = '${eventIds[2]}'`)
  const [row] = await s.stage.query<{ event: never; head: never; contact_head: never; sealed_at: string }>(
    `select jsonb_strip_nulls(to_jsonb(e)) as event, to_jsonb(s) as head, to_jsonb(s) as contact_head, to_jsonb(now()) #>> '{}' as sealed_at
       from contacts.consent_events e join contacts.consent_seals s on s.event_id = $2 where e.id = $1`,
    [eventIds[2], eventIds[1]],
  )
  const before = row!.contact_head as { contact_position: number; sha256: string }
  const [forged] = sealEvents(
    {
      workspaceId,
      head: row!.head,
      contactHeads: new Map([[contact, { position: before.contact_position, sha256: before.sha256 }]]),
      sealedAt: row!.sealed_at,
    },
    [row!.event],
  )
  await tamper(
    `update contacts.consent_seals set event_sha256 = '${forged!.event_sha256}', sha256 = '${forged!.sha256}', sealed_at = '${forged!.sealed_at}' where event_id = '${eventIds[2]}'`,
  )
  await round()
  expect(await alerts()).toMatchObject([
    { breaks: 1, first: [{ problem: 'the chain is not the one of the last round' }] },
  ])
})

test('a record with erased evidence passes the check', async () => {
  await s.stage.query('delete from contacts.consent_evidence where workspace_id = $1', [workspaceId])
  await round()
  expect(await alerts()).toEqual([])
})
