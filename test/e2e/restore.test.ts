import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi, signInAs, type Api } from '@lettergate/demo/api'
import { until } from '@lettergate/stage'
import { queryOf, workspace } from './erased-people.ts'
import { ownStack, type OwnStack } from './own-stack.ts'

const gatesPath = '/console/api/platform/gates'
let stack: OwnStack
let apis: Api[] = []

beforeAll(async () => {
  stack = await ownStack({ TARGET: 'all', ALLOW_PRODUCTION_SENDING_ACTIVATION: 'true' })
  await stack.ok('up')
})
afterAll(async () => {
  await closeApis()
  await stack.close()
})

const closeApis = async () => {
  await Promise.all(apis.map((api) => api.close()))
  apis = []
}
async function open(): Promise<{ api: Api; operator: Api }> {
  const { base_url: baseUrl } = stack.stack()
  const [api, operator] = [
    openApi(baseUrl, { authorization: 'Bearer wallet-session-dev-owner' }),
    openApi(baseUrl, await signInAs('owner', baseUrl)),
  ]
  apis.push(api, operator)
  return { api, operator }
}
const rowsOf = async (text: string, values?: unknown[]) =>
  (await queryOf(stack.stack().database_url, text, values)).rows
const inStack = (...path: string[]) => join(stack.directory, ...path)

/** What the audit log of the gateway has about this contact. Events of contacts-consent bring it there. */
const auditedOf = async (contactId: string) =>
  (await rowsOf('select action from identity.audit_log where subject_id = $1 order by occurred_at', [contactId])).map(
    ({ action }) => action,
  )

test('after PostgreSQL is restored and NATS starts empty, every gate is closed, and all events are published again with one effect each', async () => {
  const before = await open()
  await before.operator.ok('PUT', `${gatesPath}/production_sending_enabled`, { enabled: true })
  const { audience } = await before.api.ok<{ audience: { id: string } }>('POST', `${workspace}/audiences`, {
    name: 'Restored',
    slug: 'restored',
    purpose: 'test',
  })
  const { contact } = await before.api.ok<{ contact: { id: string } }>('POST', `${workspace}/contacts/upsert`, {
    email: 'restored@example.org',
    source: 'test',
  })
  const member = { contact_id: contact.id, source: 'test' }
  await before.api.ok('POST', `${workspace}/audiences/${audience.id}/subscribe`, { ...member, wording_version: '1' })
  const seen = await until(
    async () => {
      const actions = await auditedOf(contact.id)
      return actions.includes('contact_subscribed') && actions
    },
    { what: 'the events before the loss' },
  )
  const { pid: nats } = stack.stack().infrastructure.find(({ name }) => name === 'nats')!
  process.kill(nats, 'SIGINT')
  await until(() => stack.running([nats]).length === 0, { what: 'NATS to end' })
  await before.api.ok('POST', `${workspace}/audiences/${audience.id}/unsubscribe`, member)
  expect(await rowsOf('select id from contacts.outbox_pending')).not.toEqual([])
  await closeApis()
  await stack.ok('down')

  // As a restored base backup: the recovery replays no more log, and the database gets another timeline.
  appendFileSync(
    inStack('postgres', 'postgresql.auto.conf'),
    `restore_command = 'false'\nrecovery_target_action = promote\n`,
  )
  writeFileSync(inStack('postgres', 'recovery.signal'), '')
  rmSync(inStack('nats'), { recursive: true })
  const restoredAt = new Date()
  await stack.ok('up')

  const after = await open()
  const { gates } = await after.operator.ok<{ gates: { name: string; stored: boolean }[] }>('GET', gatesPath)
  expect(gates.filter(({ stored }) => stored).map(({ name }) => name)).toEqual(['rate_limit_enabled'])
  const { alerts } = await after.operator.ok<{ alerts: { code: string }[] }>('GET', '/console/api/platform/alerts')
  expect(alerts.map(({ code }) => code)).toContain('gates_closed_after_restore')
  await until(async () => (await auditedOf(contact.id)).includes('contact_unsubscribed'), {
    what: 'the event that waited',
  })
  expect(await auditedOf(contact.id)).toEqual([...seen, 'contact_unsubscribed'])
  for (const schema of ['contacts', 'identity'])
    await until(
      async () =>
        (await rowsOf(`select from ${schema}.outbox_published where published_at < $1`, [restoredAt])).length === 0,
      { what: `${schema} to publish the events of the lost stream` },
    )
})
