import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { Migration } from '@mikro-orm/migrations'
import { openStage, type Stage } from '@lettergate/stage'
import { createService, systemCaller, type Service } from '@lettergate/service'
import { appendOnly, tenantTable } from '../src/ddl.ts'
import { contexts, isUniqueViolation, newId, openDatabase, sql, type Context } from '../src/database.ts'
import { execute, rows } from './query.ts'

class First extends Migration {
  override up() {
    const statements = [
      'create table notes (workspace_id uuid not null, id uuid not null, body text, primary key (workspace_id, id), constraint notes_body unique (workspace_id, body))',
      ...tenantTable('notes'),
      'create table facts (workspace_id uuid not null, id uuid primary key)',
      ...tenantTable('facts'),
      ...appendOnly('facts'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
const schema = { schema: 'notes', role: 'notes', migrations: [{ name: '001-first', class: First }] }
const [one, other] = [newId(), newId()]

let stage: Stage
let service: Service
let inOne: Context<object>
let inOther: Context<object>
let system: Context<object>

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('notes', { logLevel: 'silent' })
  const db = await service.use(
    openDatabase(service, { url: stage.databaseUrl('notes'), schema: 'notes', entities: [] }),
  )
  const context = contexts(db, service, {})
  const call = (workspaceId: string) =>
    context.ofCall({
      caller: { ...systemCaller('test', 'c'), workspaceId },
      deadline: Infinity,
      signal: new AbortController().signal,
    })
  inOne = call(one)
  inOther = call(other)
  system = context.ofSystem('look')
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const add = (ctx: Context<object>, workspaceId: string, body: string) =>
  ctx.tx((em) => execute(em, sql`insert into notes values (${workspaceId}, ${newId()}, ${body})`))
const bodies = (ctx: Context<object>) =>
  ctx.tx(async (em) =>
    (await rows<{ body: string }>(em, sql`select body from notes order by body`)).map((note) => note.body),
  )

test('a workspace reads and writes only its own rows, even if a statement has no condition on the workspace', async () => {
  expect(await add(inOne, one, 'ours')).toBe(1)
  await add(inOther, other, 'theirs')
  expect(await bodies(inOne)).toEqual(['ours'])
  expect(await inOne.tx((em) => execute(em, sql`update notes set body = 'taken'`))).toBe(1)
  await expect(add(inOne, other, 'smuggled')).rejects.toThrow(/row-level security/)
  expect(await bodies(system)).toEqual(['taken', 'theirs'])
})

test('after its end the database refuses work, and opens no connection for it', async () => {
  const ended = createService('ended', { logLevel: 'silent' })
  const db = await ended.use(openDatabase(ended, { url: stage.databaseUrl('notes'), schema: 'notes', entities: [] }))
  const context = contexts(db, ended, {}).ofSystem('late')
  await ended.stop()
  await expect(bodies(context)).rejects.toMatchObject({ code: 'unavailable', reason: 'stopping' })
  const open = await stage.query(`select from pg_stat_activity where application_name = 'ended' and state = 'idle'`)
  expect(open).toEqual([])
})

test('a unique violation is identified by its constraint', async () => {
  await add(inOne, one, 'once')
  const again = await add(inOne, one, 'once').catch((error: unknown) => error)
  expect(isUniqueViolation(again, 'notes_body')).toBe(true)
  expect(isUniqueViolation(again, 'another')).toBe(false)
})

test('rows of an append-only table are never changed or deleted, by the service or by the owner', async () => {
  await inOne.tx((em) => execute(em, sql`insert into facts values (${one}, ${newId()})`))
  await expect(inOne.tx((em) => execute(em, sql`delete from facts`))).rejects.toThrow(/permission denied/)
  await expect(stage.query('update notes.facts set id = id')).rejects.toThrow(/never changed/)
  await expect(stage.query('truncate notes.facts')).rejects.toThrow(/never changed/)
})

test('a snapshot does not see later commits, and writes nothing', async () => {
  const counted = (em: Parameters<Parameters<typeof inOne.tx>[0]>[0]) =>
    rows<{ count: number }>(em, sql`select count(*)::int as count from notes`)
  const read = inOne.tx(
    async (em) => {
      const before = await counted(em)
      await add(inOne, one, 'meanwhile')
      return [before, await counted(em)]
    },
    { isSnapshot: true },
  )
  const [before, after] = await read
  expect(after).toEqual(before)
  const write = inOne.tx((em) => execute(em, sql`delete from notes`), { isSnapshot: true })
  await expect(write).rejects.toThrow(/read-only transaction/)
})

test('a deadlock is retried, and both transactions succeed', async () => {
  const [a, b] = [newId(), newId()]
  await inOne.tx((em) => execute(em, sql`insert into notes values (${one}, ${a}, 'a'), (${one}, ${b}, 'b')`))
  const cross = (first: string, second: string) =>
    inOne.tx(async (em) => {
      await execute(em, sql`update notes set body = body || '!' where id = ${first}`)
      await execute(em, sql`select pg_sleep(0.2)`)
      await execute(em, sql`update notes set body = body || '!' where id = ${second}`)
    })
  await Promise.all([cross(a, b), cross(b, a)])
  expect((await bodies(inOne)).filter((body) => body.endsWith('!!'))).toEqual(['a!!', 'b!!'])
})

test('connections that the server ended are replaced, and the next transactions succeed', async () => {
  // This process is blocked meanwhile, so it detects the ended connections only when it uses them.
  const endAll = () =>
    spawnSync(process.execPath, ['--input-type=module', '-e', terminate, stage.adminUrl], { cwd: import.meta.dirname })
  const terminate = `import pg from 'pg'
    const client = new pg.Client({ connectionString: process.argv[1] })
    await client.connect()
    await client.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'notes'")
    await client.end()`
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(Array.from({ length: 10 }, () => bodies(inOne)))
    expect(endAll().status).toBe(0)
    expect(await Promise.all(Array.from({ length: 10 }, () => bodies(inOne)))).toHaveLength(10)
  }
})

test('ids of one process are unique and in order', () => {
  const ids = Array.from({ length: 20_000 }, newId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
})
