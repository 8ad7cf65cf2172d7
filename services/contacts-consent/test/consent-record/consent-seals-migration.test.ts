import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { migrate } from '@lettergate/database/migrate'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { evidenceSha256 } from '../../src/consent-record/seal-hashes.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ ...schema, migrations: schema.migrations.slice(0, 1) }] })
})
afterAll(() => stage.close())

test('the migration keeps the evidence of old events by hash and queues the events for sealing in the order of their ids', async () => {
  await stage.query(
    `insert into contacts.consent_events (workspace_id, id, contact_id, kind, scope, source, evidence, actor, actor_kind, correlation_id, occurred_at)
     select '0190a3a0-0000-7000-8000-000000000001', uuidv7(), '0190a3a0-0000-7000-8000-000000000002', 'suppressed', 'workspace', 'x',
            case when n % 2 = 0 then jsonb_build_object('n', n, 'b', 1.5, 'a', 'ü') end, 'x', 'human', 'x', now()
       from generate_series(1, 2500) n`,
  )
  await migrate(stage.adminUrl, { ...schema, migrations: schema.migrations.slice(0, 2) })
  const events = await stage.query<{
    id: string
    evidence_sha256: string | null
    salt: string | null
    evidence: object | null
  }>(
    `select e.id, e.evidence_sha256, k.salt, k.evidence from contacts.consent_events e
       left join contacts.consent_evidence k on k.workspace_id = e.workspace_id and k.event_id = e.id order by e.id`,
  )
  expect(events).toHaveLength(2500)
  expect(events.filter((one) => one.salt !== null)).toHaveLength(1250)
  for (const { evidence_sha256, salt, evidence } of events)
    expect(evidence_sha256).toBe(salt === null ? null : evidenceSha256(salt, evidence))
  const queued = await stage.query<{ event_id: string }>(
    'select event_id from contacts.unsealed_consent_events order by arrival',
  )
  expect(queued.map((one) => one.event_id)).toEqual(events.map((one) => one.id))
  await expect(stage.query(`update contacts.consent_events set source = 'y'`)).rejects.toMatchObject({ code: '23001' })
})

test('the migration to a queue by statement keeps the events that wait, in their order', async () => {
  const queued = await stage.query<{ event_id: string; contact_id: string }>(
    'select event_id, contact_id from contacts.unsealed_consent_events order by arrival',
  )
  expect(queued).toHaveLength(2500)
  await migrate(stage.adminUrl, schema)
  expect(
    await stage.query(
      `select w.event_id, w.contact_id from contacts.unsealed_consent_batches u
        cross join lateral unnest(u.event_ids, u.contact_ids) as w (event_id, contact_id) order by u.arrival`,
    ),
  ).toEqual(queued)
})
