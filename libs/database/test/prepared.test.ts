import { afterAll, beforeAll, expect, test } from '@jest/globals'
import pg from 'pg'
import { Migration } from '@mikro-orm/migrations'
import { openStage, type Stage } from '@lettergate/stage'
import { createService, systemCaller, type Service } from '@lettergate/service'
import { tenantTable } from '../src/ddl.ts'
import {
  column,
  contexts,
  held,
  lastRead,
  newId,
  openDatabase,
  prepared,
  sql,
  statement,
  type Context,
} from '../src/database.ts'
import { PreparingClient } from '../src/prepared.ts'
import { execute, rows } from './query.ts'

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

test('a prepared statement is planned once for each connection, and each workspace still sees only its own rows', async () => {
  for (const workspaceId of workspaces)
    await contextOf(workspaceId).tx((em) =>
      execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${`of ${workspaceId}`})`),
    )
  // often enough for PostgreSQL to settle on one plan for all values
  for (let round = 0; round < 10; round += 1)
    for (const workspaceId of workspaces)
      expect(await contextOf(workspaceId).tx((em) => rows(em, bodies('a')))).toEqual([{ body: `of ${workspaceId}` }])
  expect(await contextOf(newId()).tx((em) => rows(em, bodies('a')))).toEqual([])

  const [plans] = await contextOf(workspaces[0]!).tx((em) =>
    rows<{ count: number; generic: number }>(
      em,
      sql`select count(*)::int as count, sum(generic_plans)::int as generic from pg_prepared_statements where statement like '%from words%'`,
    ),
  )
  expect(plans!.count).toBe(1)
  expect(plans!.generic).toBeGreaterThan(0)
})

const insert = (workspaceId: string, id: string, body: string) =>
  held(sql`insert into words values (${workspaceId}, ${id}, ${body})`)
const bodiesOf = (workspaceId: string) =>
  contextOf(workspaceId).tx(async (em) => (await rows<{ body: string }>(em, bodies(''))).map(({ body }) => body))

test('the next statement sees the effect of a held statement, and the commit includes a held statement without a next one', async () => {
  const workspaceId = newId()
  await contextOf(workspaceId).tx((em) => execute(em, insert(workspaceId, newId(), 'alone')))
  const seen = await contextOf(workspaceId).tx(async (em) => {
    await execute(em, insert(workspaceId, newId(), 'before'))
    return rows(em, bodies(''))
  })
  expect(seen).toEqual([{ body: 'alone' }, { body: 'before' }])
  expect(await bodiesOf(workspaceId)).toEqual(['alone', 'before'])
})

test('if a held statement fails, the next statement fails, and the transaction writes nothing', async () => {
  const [workspaceId, id] = [newId(), newId()]
  const twice = contextOf(workspaceId).tx(async (em) => {
    await execute(em, insert(workspaceId, id, 'first'))
    await execute(em, insert(workspaceId, id, 'again'))
  })
  await expect(twice).rejects.toMatchObject({ code: '23505' })
  const thenRead = contextOf(workspaceId).tx(async (em) => {
    await execute(em, insert(workspaceId, newId(), 'kept?'))
    await execute(em, insert(newId(), newId(), 'of another workspace'))
    return rows(em, bodies(''))
  })
  await expect(thenRead).rejects.toMatchObject({ message: expect.stringContaining('row-level security') as unknown })
  expect(await bodiesOf(workspaceId)).toEqual([])
})

test('a held statement is not written if the work throws, and the connection is usable for the next transaction', async () => {
  const workspaceId = newId()
  const thrown = contextOf(workspaceId).tx(async (em) => {
    await execute(em, insert(workspaceId, newId(), 'never'))
    throw new Error('changed my mind')
  })
  await expect(thrown).rejects.toThrow('changed my mind')
  expect(await bodiesOf(workspaceId)).toEqual([])
  await contextOf(workspaceId).tx(() => Promise.resolve())
  expect(await bodiesOf(workspaceId)).toEqual([])
})

async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: stage.adminUrl })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'words'`,
  )
  await client.end()
}

test('a transaction is retried once if the server ends its connection before the commit', async () => {
  const workspaceId = newId()
  let attempts = 0
  await contextOf(workspaceId).tx(async (em) => {
    attempts += 1
    await execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${'once'})`)
    if (attempts === 1) await endConnections()
    await rows(em, sql`select 1 as one`)
  })
  expect(attempts).toBe(2)
  expect(await bodiesOf(workspaceId)).toEqual(['once'])
})

const wordsLater = statement('test-words-later', { count: column.integer() })
const countOf = () => sql`select count(*)::int as count from words`

test('a statement for later sees the statements before it, and its rows are answered before and after the next statement', async () => {
  const workspaceId = newId()
  const counts = await contextOf(workspaceId).tx(async (em) => {
    const before = await wordsLater.rowLater(em, countOf())
    await execute(em, insert(workspaceId, newId(), 'first'))
    const between = await wordsLater.rowLater(em, countOf())
    const unsent = [await between(), await before()]
    const last = await wordsLater.rowLater(em, countOf())
    await execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${'second'})`)
    return [...unsent, await last()]
  })
  expect(counts).toEqual([{ count: 1 }, { count: 0 }, { count: 1 }])
  expect(await bodiesOf(workspaceId)).toEqual(['first', 'second'])
})

test('if a statement for later fails, the next statement fails, and the transaction writes nothing', async () => {
  const workspaceId = newId()
  const failed = contextOf(workspaceId).tx(async (em) => {
    await wordsLater.rowLater(em, sql`select 1 / ${0}::int as count`)
    await execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${'never'})`)
  })
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  const unanswered = contextOf(workspaceId).tx(async (em) =>
    (await wordsLater.rowLater(em, sql`select 1 / ${0}::int as count`))(),
  )
  await expect(unanswered).rejects.toMatchObject({ code: '22012' })
  expect(await bodiesOf(workspaceId)).toEqual([])
})

const lastBodies = () => lastRead(sql<{ body: string }>`select body from words order by body`)

test('a last read is committed with its statements, and the connection is usable for the next transaction', async () => {
  const workspaceId = newId()
  for (let round = 0; round < 3; round += 1) {
    const seen = await contextOf(workspaceId).tx(async (em) => {
      await execute(em, insert(workspaceId, newId(), `word ${round}`))
      return rows<{ body: string }>(em, lastBodies())
    })
    expect(seen).toHaveLength(round + 1)
  }
  expect(await contextOf(newId()).tx((em) => rows(em, lastBodies()))).toEqual([])
  expect(await contextOf(workspaceId).tx((em) => rows(em, bodies('word 1')))).toEqual([{ body: 'word 2' }])
})

test('a failed last read writes nothing, and a statement after a last read is refused', async () => {
  const workspaceId = newId()
  const failed = contextOf(workspaceId).tx(async (em) => {
    await execute(em, sql`insert into words values (${workspaceId}, ${newId()}, ${'never'})`)
    await rows(em, lastRead(sql`select 1 / ${0}::int as wrong`))
  })
  await expect(failed).rejects.toMatchObject({ code: '22012' })
  expect(await bodiesOf(workspaceId)).toEqual([])
  const followed = contextOf(workspaceId).tx(async (em) => {
    await rows(em, lastBodies())
    await rows(em, bodies(''))
  })
  await expect(followed).rejects.toThrow('a statement follows the last one of its transaction')
  expect(await bodiesOf(workspaceId)).toEqual([])
})

test('a last read is retried if the server ended the connection before it was sent', async () => {
  const workspaceId = newId()
  let attempts = 0
  const seen = await contextOf(workspaceId).tx(async (em) => {
    attempts += 1
    await rows(em, sql`select 1 as one`)
    if (attempts === 1) await endConnections()
    return rows(em, lastBodies())
  })
  expect([attempts, seen]).toEqual([2, []])
})

test('a connection of a pool has the password of the pool, which pg hides from copies', () => {
  const { options } = new pg.Pool({ user: 'words', password: 'secret' })
  expect({ ...options }).not.toHaveProperty('password')
  expect(new PreparingClient(options).password).toBe('secret')
})
