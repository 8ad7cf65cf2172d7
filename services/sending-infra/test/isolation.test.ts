import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { entities } from '../src/db/entities.ts'
import { sendingStage, type SendingStage } from './sending-stage.ts'

let rig: SendingStage
let role: pg.Client
let ours: string
let theirs: string
beforeAll(async () => {
  rig = await sendingStage()
  for (const ctx of [rig.owner(), rig.owner('globex')]) {
    await rig.sender(ctx, await rig.readyDomain(ctx))
    ;[ours, theirs] = [ctx.workspaceId, ours]
  }
  role = new pg.Client({
    connectionString: rig.stage.databaseUrl('sending'),
    options: '-c search_path=sending',
  } as pg.ClientConfig)
  await role.connect()
})
afterAll(async () => {
  await role.end()
  await rig.close()
})

/** The tenant tables according to the code. */
const described = entities
  .map((entity) => entity.meta)
  .filter((meta) => 'workspaceId' in meta.properties)
  .map((meta) => meta.tableName)
  .sort()

const asTenant = (workspaceId: string) => role.query("select set_config('app.workspace_id', $1, false)", [workspaceId])

test('the service role sees no row of a tenant table without a tenant, and only its own rows with a tenant', async () => {
  const tables = await rig.stage.query<{ name: string }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'sending' and column_name = 'workspace_id' and table_name <> 'outbox' order by 1`,
  )
  expect(tables.map(({ name }) => name)).toEqual(described)
  expect(described).toContain('domain_checks')
  for (const table of described) expect((await role.query(`select * from ${table}`)).rows).toEqual([])
  for (const workspace of [ours, theirs]) {
    await asTenant(workspace)
    for (const table of described) {
      const { rows } = await role.query<{ workspace_id: string }>(`select workspace_id from ${table}`)
      expect([table, [...new Set(rows.map((row) => row.workspace_id))]]).toEqual([table, [workspace]])
    }
  }
})

test('the service role cannot write rows of another tenant or move rows to another tenant', async () => {
  await asTenant(ours)
  await expect(
    role.query(
      `insert into provider_connections (workspace_id, id, name, region, credential_env_key, created_by) values ($1, $2, 'x', 'us', 'MAILGUN_X', 'x')`,
      [theirs, randomUUID()],
    ),
  ).rejects.toMatchObject({ code: '42501' })
  await expect(role.query('update sending_domains set workspace_id = $1', [theirs])).rejects.toMatchObject({
    code: '42501',
  })
  const { rowCount } = await role.query(`update sender_identities set display_name = 'x' where workspace_id = $1`, [
    theirs,
  ])
  expect(rowCount).toBe(0)
})
