import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import { entities } from '../src/entities.ts'
import { openTesting, type TestingStage } from './testing-stage.ts'

let rig: TestingStage
let role: pg.Client
let ours: string
beforeAll(async () => {
  rig = await openTesting()
  const api = await rig.api()
  await rig.worker()
  await rig.send({}, api)
  const { id } = await rig.rehearse({}, api)
  await until(async () => (await rig.rehearsal(id)).state === 'verified')
  await rig.sim('PUT', '/faults', { mode: 'rate_limit' })
  await rig.send({}, api)
  ours = rig.workspaceId
  role = new pg.Client({
    connectionString: rig.stage.databaseUrl('campaigns'),
    options: '-c search_path=campaigns',
  } as pg.ClientConfig)
  await role.connect()
})
afterAll(async () => {
  await role.end()
  await rig.close()
})

/** The tables that have a tenant according to the entities. */
const described = entities
  .map((entity) => entity.meta)
  .filter((meta) => 'workspaceId' in meta.properties)
  .map((meta) => meta.tableName)
  .sort()

const filled = [
  'connection_holds',
  'content_versions',
  'event_counts',
  'hand_offs',
  'idempotency_keys',
  'message_facts',
  'rehearsals',
  'test_sends',
]

test("without a tenant the service role sees no row of a tenant table, and with one only the tenant's rows", async () => {
  const tables = await rig.stage.query<{ name: string }>(
    `select table_name as name from information_schema.columns join information_schema.tables t using (table_schema, table_name)
      where table_schema = 'campaigns' and column_name = 'workspace_id' and table_name <> 'outbox' order by 1`,
  )
  expect(tables.map(({ name }) => name)).toEqual(described)
  for (const table of described) expect((await role.query(`select * from ${table}`)).rows).toEqual([])
  for (const workspace of [randomUUID(), ours]) {
    await role.query("select set_config('app.workspace_id', $1, false)", [workspace])
    for (const table of described) {
      const { rows } = await role.query<{ workspace_id: string }>(`select workspace_id from ${table}`)
      expect([table, rows.filter((row) => row.workspace_id !== ours || workspace !== ours)]).toEqual([table, []])
      if (workspace === ours && filled.includes(table)) expect([table, rows.length > 0]).toEqual([table, true])
    }
  }
})

test('the service role cannot write into another tenant or move its rows there', async () => {
  await role.query("select set_config('app.workspace_id', $1, false)", [ours])
  const theirs = randomUUID()
  const stray = role.query(
    `insert into idempotency_keys (workspace_id, operation, key, fingerprint, resource_id) values ($1, 'x', 'x', 'x', $2)`,
    [theirs, randomUUID()],
  )
  await expect(stray).rejects.toMatchObject({ code: '42501' })
  await expect(role.query('update test_sends set workspace_id = $1', [theirs])).rejects.toMatchObject({ code: '42501' })
})
