import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { eventData, webhookStage, type WebhookStage } from './webhook-stage.ts'

let rig: WebhookStage
let role: pg.Client
let ours: string
let theirs: string
beforeAll(async () => {
  rig = await webhookStage()
  const connections = [await rig.connection(), await rig.connection()] as const
  for (const { id } of connections) expect((await rig.deliver(id, eventData())).status).toBe(200)
  ;[ours, theirs] = [connections[0].workspaceId, connections[1].workspaceId]
  role = new pg.Client({
    connectionString: rig.stage.databaseUrl('webhooks'),
    options: '-c search_path=webhooks',
  } as pg.ClientConfig)
  await role.connect()
})
afterAll(async () => {
  await role.end()
  await rig.close()
})

const asTenant = (workspaceId: string) => role.query("select set_config('app.workspace_id', $1, false)", [workspaceId])

test('the service role without a tenant sees no provider event, and with one only its own', async () => {
  const tables = await rig.stage.query<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'webhooks' and column_name = 'workspace_id' and table_name <> 'outbox' order by 1`,
  )
  expect(tables).toEqual([{ name: 'erased_messages' }, { name: 'provider_events' }])
  expect((await role.query('select 1 from erased_messages')).rowCount).toBe(0)
  expect((await role.query('select 1 from provider_events')).rowCount).toBe(0)
  for (const [workspaceId, count] of [
    [ours, 1],
    [theirs, 1],
    [randomUUID(), 0],
  ] as const) {
    await asTenant(workspaceId)
    const { rows } = await role.query<{ workspace_id: string }>('select workspace_id from provider_events')
    expect(rows).toEqual(Array.from({ length: count }, () => ({ workspace_id: workspaceId })))
  }
})

test('the service role cannot change another tenant’s events, or move its own events to another tenant', async () => {
  await asTenant(ours)
  await expect(role.query('update provider_events set workspace_id = $1', [theirs])).rejects.toMatchObject({
    code: '42501',
  })
  const { rowCount } = await role.query('update provider_events set replayed_at = now() where workspace_id = $1', [
    theirs,
  ])
  expect(rowCount).toBe(0)
})
