import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@lettergate/database'
import { migrate } from '@lettergate/database/migrate'
import { openStage, type Stage } from '@lettergate/stage'
import { schema } from '../../src/db/migrations.ts'
import { messageStatesOf } from '../message-rows.ts'

const before = schema.migrations.findIndex(({ name }) => name.startsWith('018-'))
let stage: Stage
beforeAll(async () => {
  stage = await openStage({ schemas: [{ ...schema, migrations: schema.migrations.slice(0, before) }] })
})
afterAll(() => stage.close())

const workspaceId = newId()

async function run() {
  const id = newId()
  await stage.query(
    `insert into campaigns.campaigns (workspace_id, id, status, current_version, created_by) values ($1, $2, 'sent', 1, 't')`,
    [workspaceId, id],
  )
  await stage.query(
    `insert into campaigns.email_templates (workspace_id, id, name, slug, created_by) values ($1, $2, 'T', $3, 't')`,
    [workspaceId, id, `t-${id}`],
  )
  await stage.query(
    `insert into campaigns.content_versions (workspace_id, id, template_id, version, subject, sanitized_html, plain_text, personalization_defaults, validation, created_by)
     values ($1, $2, $2, 1, 's', '<p>x</p>', 'x', '{}', '{}', 't')`,
    [workspaceId, id],
  )
  await stage.query(
    `insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, included_count, scheduled_by, correlation_id, started_at)
     values ($1, $2, $2, $2, $2, $2, 'sending', now(), 9, 't', 't', now())`,
    [workspaceId, id],
  )
  return id
}
async function handOff(runId: string, state: string) {
  const id = newId()
  await stage.query(
    `insert into campaigns.hand_offs (workspace_id, id, run_id, batch, connection_id, domain_name, region, credential_env_key, recipient_count, state, reason, judged_at)
     values ($1, $2, $3, 0, $2, 'd', 'us', 'K', 1, $4, 'timeout', now())`,
    [workspaceId, id, runId, state],
  )
  return id
}
async function recipient(
  runId: string,
  state: string,
  more: { handOffId?: string; reasons?: string[]; facts?: string[] } = {},
) {
  const id = newId()
  const columns = (more.facts ?? []).map((fact) => `, ${fact}_at`)
  await stage.query(
    `insert into campaigns.run_recipients (workspace_id, id, run_id, batch, contact_id, audience_id, normalized_email, state, hand_off_id, reasons ${columns.join('')})
     values ($1, $2, $3, 0, $2, $2, $4, $5, $6, $7 ${columns.map(() => `, now()`).join('')})`,
    [workspaceId, id, runId, `${id}@example.org`, state, more.handOffId ?? null, more.reasons ?? null],
  )
  return id
}
async function testSend(
  runId: string,
  state: string,
  more: { attempts?: number; reason?: string; facts?: string[] } = {},
) {
  const id = newId()
  const columns = (more.facts ?? []).map((fact) => `, ${fact}_at`)
  await stage.query(
    `insert into campaigns.test_sends (workspace_id, id, purpose, sender_identity_id, content_version_id, recipient_email, connection_id, domain_name, region, credential_env_key,
                                       hand_off_state, attempt_count, reason, requested_by, correlation_id ${columns.join('')})
     values ($1, $2, 'test_send', $2, $3, 'a@example.org', $2, 'd', 'us', 'K', $4, $5, $6, 't', 't' ${columns.map(() => `, now()`).join('')})`,
    [workspaceId, id, runId, state, more.attempts ?? 1, more.reason ?? null],
  )
  return id
}

test('the migration keeps the state of recipients, test sends, counts and tallies', async () => {
  const runId = await run()
  const calls = Object.fromEntries(
    await Promise.all(
      ['accepted', 'unknown', 'claimed', 'put_back', 'failed'].map(
        async (state) => [state, await handOff(runId, state)] as const,
      ),
    ),
  ) as Record<string, string>
  const expected: Record<string, string> = {}
  const stands = async (state: string, id: Promise<string>) => void (expected[await id] = state)
  await stands('pending', recipient(runId, 'pending'))
  await stands('pending', recipient(runId, 'pending', { handOffId: calls['put_back']! }))
  await stands('skipped', recipient(runId, 'skipped', { reasons: ['consent_withdrawn', 'not_subscribed'] }))
  await stands('failed', recipient(runId, 'failed', { reasons: ['sender_missing'] }))
  await stands('failed', recipient(runId, 'failed', { handOffId: calls['failed']!, reasons: ['status_400'] }))
  await stands('accepted', recipient(runId, 'claimed', { handOffId: calls['accepted']! }))
  await stands(
    'delivered',
    recipient(runId, 'claimed', { handOffId: calls['accepted']!, facts: ['delivered', 'opened'] }),
  )
  await stands('unknown', recipient(runId, 'claimed', { handOffId: calls['unknown']! }))
  await stands('hard_bounced', recipient(runId, 'claimed', { handOffId: calls['unknown']!, facts: ['hard_bounced'] }))
  await stands('claimed', recipient(runId, 'claimed', { handOffId: calls['claimed']! }))
  const tests = {
    delivered: await testSend(runId, 'accepted', { facts: ['delivered'] }),
    unknown: await testSend(runId, 'unknown'),
    failed: await testSend(runId, 'failed', { reason: 'status_400' }),
    never: await testSend(runId, 'failed', { attempts: 0, reason: 'too_late' }),
  }
  await stage.query(
    `insert into campaigns.run_event_counts (workspace_id, run_id, kind, count) values ($1, $2, 'delivered', 3)`,
    [workspaceId, runId],
  )
  await stage.query(
    `insert into campaigns.test_event_counts (workspace_id, test_send_id, kind, count) values ($1, $2, 'delivered', 1)`,
    [workspaceId, tests.delivered],
  )
  await stage.query(`insert into campaigns.run_tallies values ($1, $2, 0, 1, 1, 0, 1, 0, 0)`, [workspaceId, runId])

  await migrate(stage.adminUrl, schema)

  const found = await messageStatesOf(stage, runId)
  expect(Object.fromEntries(found.map(({ id, state }) => [id, state]))).toEqual(expected)
  expect(new Set(found.flatMap(({ reasons }) => (reasons === null ? [] : [reasons.join()])))).toEqual(
    new Set(['consent_withdrawn,not_subscribed', 'sender_missing']),
  )
  const handOffs = await stage.query<{ origin_id: string; state: string; kind: string; reason: string | null }>(
    `select origin_id, state, kind, reason from campaigns.hand_offs where kind = 'test_send'`,
  )
  expect(new Map(handOffs.map(({ origin_id, state }) => [origin_id, state]))).toEqual(
    new Map([
      [tests.delivered, 'accepted'],
      [tests.unknown, 'unknown'],
      [tests.failed, 'failed'],
      [tests.never, 'put_back'],
    ]),
  )
  expect(
    await stage.query(
      `select message_id, fact, reasons from campaigns.message_facts where origin_id = any($1) order by fact`,
      [Object.values(tests)],
    ),
  ).toEqual([
    { message_id: tests.delivered, fact: 'delivered', reasons: null },
    { message_id: tests.never, fact: 'failed', reasons: ['too_late'] },
  ])
  expect(await stage.query(`select origin_id, count from campaigns.event_counts order by count`)).toEqual([
    { origin_id: tests.delivered, count: 1 },
    { origin_id: runId, count: 3 },
  ])
  expect(
    await stage.query('select hard_bounced, delivered, opened from campaigns.run_tallies where run_id = $1', [runId]),
  ).toEqual([{ hard_bounced: '1', delivered: '1', opened: '1' }])
})
