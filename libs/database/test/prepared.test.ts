import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { openStage, type Stage } from '@lettergate/stage'
import { createService, systemCaller, type Service } from '@lettergate/service'
import { tenantTable } from '../src/ddl.ts'
import { contexts, execute, newId, openDatabase, prepared, row, rows, sql, type Context } from '../src/database.ts'

class First extends Migration {
  override up() {
    this.addSql('create table words (workspace_id uuid not null, id uuid primary key, body text)')
    for (const statement of tenantTable('words')) this.addSql(statement)
  }
}
const schema = { schema: 'words', role: 'words', migrations: [{ name: '001-first', class: First }] }
const workspaces = [newId(), newId()]

let stage: Stage
let service: Service
let contextOf: (workspaceId: string) => Context<object>

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('words', { logLevel: 'silent' })
  const url = stage.databaseUrl('words')
  const db = await service.use(openDatabase(service, { url, schema: 'words', entities: [], poolMax: 1 }))
  const context = contexts(db, service, {})
  contextOf = (workspaceId) =>
    context.ofCall({
      caller: { ...systemCaller('test', 'c'), workspaceId },
      deadline: Infinity,
      signal: new AbortController().signal,
    })
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const bodies = (at: string) => prepared(sql<{ body: string }>`select body from words where body > ${at} order by body`)

test('a prepared statement is planned once a connection, and each workspace still sees its own rows by it', async () => {
  for (const workspaceId of workspaces)
    await contextOf(workspaceId).tx((em) =>
      execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${`of ${workspaceId}`})`),
    )
  // often enough for PostgreSQL to settle on one plan for all values
  for (let round = 0; round < 10; round += 1)
    for (const workspaceId of workspaces)
      expect(await contextOf(workspaceId).tx((em) => rows(em, bodies('a')))).toEqual([{ body: `of ${workspaceId}` }])
  expect(await contextOf(newId()).tx((em) => rows(em, bodies('a')))).toEqual([])

  const held = await contextOf(workspaces[0]!).tx((em) =>
    row<{ count: number; generic: number }>(
      em,
      sql`select count(*)::int as count, sum(generic_plans)::int as generic from pg_prepared_statements where statement like '%from words%'`,
    ),
  )
  expect(held!.count).toBe(1)
  expect(held!.generic).toBeGreaterThan(0)
})
