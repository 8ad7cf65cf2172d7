import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newsletter, type GatewayStage } from '@lettergate/gateway/test/gateway-stage'
import { testingStage, type ApiTestingStage } from './testing-services.ts'

const product = newsletter.replace('newsletter', 'product')
const nobody = '0190a3a0-0000-7000-8000-000000000000'

let gateway: ApiTestingStage
let belowCeiling: Pick<GatewayStage, 'call'>
beforeAll(async () => {
  gateway = await testingStage()
  belowCeiling = await gateway.belowCeiling()
})
afterAll(() => gateway.close())

const confirmations = { '/test-sends': 'SEND TEST EMAIL', '/rehearsals': 'RUN CONTROLLED REHEARSAL' } as const
type Path = keyof typeof confirmations

interface Asked {
  as?: string
  workspace?: string
  key?: string
  more?: object
  of?: () => Pick<GatewayStage, 'call'>
}
const ask = (path: Path, { as = 'editor', workspace = newsletter, key = randomUUID(), more, of }: Asked = {}) =>
  (of?.() ?? gateway).call('POST', `${workspace}${path}`, {
    as,
    body: {
      sender_identity_id: gateway.senderId,
      content_version_id: gateway.contentVersionId,
      recipient_email: `r-${randomUUID()}@example.org`,
      confirmation: confirmations[path],
      ...more,
    },
    headers: key === '' ? {} : { 'idempotency-key': key },
  })
const calls = async () => (await gateway.sim('GET', '/stats'))['message_calls']
const sql = (text: string) => () => gateway.stage.query(text)

/** Inserts this number of test sends of that age, and deletes them. */
const made = (count: number, ago: string) => ({
  close: () =>
    gateway.stage.query(
      `insert into campaigns.test_sends (workspace_id, id, purpose, sender_identity_id, content_version_id, recipient_email, requested_by, correlation_id, created_at)
       select w.id, gen_random_uuid(), 'test_send', $1, $2, 'counted@example.org', 'test', 'test', clock_timestamp() - $3::interval
         from identity.workspaces w, generate_series(1, ${count}) where w.slug = 'newsletter'`,
      [gateway.senderId, gateway.contentVersionId, ago],
    ),
  open: sql(`delete from campaigns.test_sends where recipient_email = 'counted@example.org'`),
})

interface Condition {
  /** number of the condition in the specification, and the problem */
  what: string
  says: string
  status?: number
  ask?: Asked
  close?: () => Promise<unknown>
  open?: () => Promise<unknown>
}

/** The eight conditions of the specification, each broken in every possible way. */
const conditions: Condition[] = [
  { what: '1: the capability', status: 403, says: 'send_test', ask: { as: 'analyst' } },
  { what: '2: the confirmation', says: 'confirmation', ask: { more: { confirmation: 'yes' } } },
  { what: '3: a recipient', says: 'recipient_email', ask: { more: { recipient_email: 'nobody' } } },
  {
    what: '3: a recipient of the allowlist',
    says: 'TEST_RECIPIENT_ALLOWLIST',
    ask: { more: { recipient_email: 'x@elsewhere.test' } },
  },
  {
    what: '4: the ceiling of the environment',
    says: 'does not set TEST_SENDS_ENABLED',
    ask: { of: () => belowCeiling },
  },
  {
    what: '4: the switch',
    says: 'platform gate test_sends_enabled is closed',
    close: () => gateway.setTestGate(false),
    open: () => gateway.setTestGate(true),
  },
  { what: '5: a sender', says: 'sender_identity_id', ask: { more: { sender_identity_id: nobody } } },
  {
    what: "5: a sender of one's own workspace",
    says: 'sender_identity_id',
    ask: { as: 'owner', workspace: product },
  },
  {
    what: '5: a sender on a domain that is verified',
    says: 'domain is not currently verified',
    close: sql(`update sending.sending_domains set dkim_state = 'failed'`),
    open: sql(`update sending.sending_domains set dkim_state = 'verified'`),
  },
  {
    what: '5: a sender on a domain that is verified now',
    says: 'domain is not currently verified',
    close: sql(`update sending.sending_domains set checked_at = checked_at - interval '25 hours'`),
    open: sql(`update sending.sending_domains set checked_at = checked_at + interval '25 hours'`),
  },
  {
    what: '6: an active connection',
    says: 'The provider connection',
    close: sql('update sending.provider_connections set is_active = false'),
    open: sql('update sending.provider_connections set is_active = true'),
  },
  {
    what: '6: a verified connection',
    says: 'The provider connection',
    close: sql(`update sending.provider_connections set connection_state = 'failed', is_active = false`),
    open: sql(`update sending.provider_connections set connection_state = 'verified', is_active = true`),
  },
  { what: "7: the hour's cap", says: 'test sends of the last hour', ...made(60, '30 minutes') },
  { what: "7: the day's cap", says: 'test sends of the last day', ...made(100, '2 hours') },
  { what: '8: a key', says: 'Idempotency-Key', ask: { key: '' } },
  { what: '8: a key that is long enough', says: 'Idempotency-Key', ask: { key: 'k'.repeat(11) } },
  { what: '8: a key that is not too long', says: 'Idempotency-Key', ask: { key: 'k'.repeat(201) } },
  { what: 'content', says: 'content_version_id', ask: { more: { content_version_id: nobody } } },
]

describe.each(['/test-sends', '/rehearsals'] as const)('each requirement of POST %s', (path) => {
  test.each(conditions)(
    '$what: refuses alone, says which one it is, sends nothing, and is all that was missing',
    async ({ says, status = 422, ask: asked, close, open }) => {
      const before = await calls()
      await close?.()
      const refused = await ask(path, asked)
      await open?.()
      expect({ status: refused.status, says: refused.text.includes(says) }).toEqual({ status, says: true })
      const others = conditions.map((one) => one.says).filter((words) => words !== says && !words.endsWith('_email'))
      expect(others.filter((words) => refused.text.includes(words))).toEqual([])
      expect(await calls()).toBe(before)
      expect((await ask(path)).status).toBe(200)
    },
  )
})
