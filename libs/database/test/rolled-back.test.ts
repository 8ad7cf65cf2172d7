import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { createService, systemCaller, type Service } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { contexts, held, lastRead, newId, openDatabase, sql, type Context } from '../src/database.ts'
import { neverCommitted, tenantTable } from '../src/ddl.ts'
import { execute, rows } from './query.ts'

class First extends Migration {
  override up() {
    const statements = [
      'create table notes (workspace_id uuid not null, id uuid primary key, body text not null)',
      ...tenantTable('notes'),
      ...neverCommitted(),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
const schema = { schema: 'notes', role: 'notes', migrations: [{ name: '001-rolled-back', class: First }] }
const [theirs, nobodys] = [newId(), newId()]

let stage: Stage
let service: Service
let ctx: Context<object>
beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('notes', { logLevel: 'silent' })
  const url = stage.databaseUrl('notes')
  const db = await service.use(openDatabase(service, { url, schema: 'notes', entities: [], longPoolMax: 1 }))
  ctx = contexts(db, service, {}).ofCall({
    caller: { ...systemCaller('test', 'c'), workspaceId: theirs },
    deadline: Infinity,
    signal: new AbortController().signal,
  })
  await add(ctx, 'theirs')
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const insert = (workspaceId: string, body: string) =>
  sql`insert into notes values (${workspaceId}, ${newId()}, ${body})`
const add = (own: Context<object>, body: string) => own.tx((em) => execute(em, insert(own.workspaceId, body)))
const ordered = sql<{ body: string }>`select body from notes order by body`
const bodies = (own: Context<object>) =>
  own.tx(async (em) => (await rows<{ body: string }>(em, ordered)).map((one) => one.body))
const stored = async () =>
  (await stage.query<{ body: string }>('select body from notes.notes order by 1')).map((one) => one.body)

test('work sees what it wrote, each step in a savepoint, and nothing of it is stored or visible to others', async () => {
  const seen = await ctx.rolledBack(nobodys, async (inside) => {
    await add(inside, 'one')
    // the commit of a last read is not sent
    const last = await inside.tx((em) => rows<{ body: string }>(em, lastRead(ordered)))
    await inside.tx((em) => execute(em, held(insert(nobodys, 'held'))))
    expect(await stored()).toEqual(['theirs'])
    return [
      last.map((one) => one.body),
      await bodies(inside.inWorkspace(nobodys)),
      await bodies(inside.withoutDeadline()),
    ]
  })
  expect(seen).toEqual([['one'], ['held', 'one'], ['held', 'one']])
  expect(await stored()).toEqual(['theirs'])
})

test('a failed step undoes itself only, and concurrent steps wait for each other', async () => {
  await ctx.rolledBack(nobodys, async (inside) => {
    const failed = inside.tx(async (em) => {
      await execute(em, insert(nobodys, 'undone'))
      await execute(em, held(insert(nobodys, 'not sent')))
      throw new Error('as meant')
    })
    const steps = [add(inside, 'a'), failed, add(inside, 'b')]
    expect((await Promise.allSettled(steps)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    await expect(failed).rejects.toThrow('as meant')
    await expect(inside.tx((em) => execute(em, sql`select 1 / 0`))).rejects.toThrow()
    expect(await bodies(inside)).toEqual(['a', 'b'])
  })
  expect(await stored()).toEqual(['theirs'])
})

test('an error of the work reaches the caller, after the rollback', async () => {
  const failing = ctx.rolledBack(nobodys, async (inside) => {
    await add(inside, 'one')
    throw new Error('as meant')
  })
  await expect(failing).rejects.toThrow('as meant')
  expect(await stored()).toEqual(['theirs'])
})

test('it has its own workspace only, and the database refuses to commit it', async () => {
  await ctx
    .rolledBack(nobodys, async (inside) => {
      expect(() => inside.inWorkspace(theirs)).toThrow('one workspace')
      await expect(inside.tx((em) => execute(em, insert(theirs, 'stray')))).rejects.toThrow('row-level security')
      await expect(inside.tx((em) => execute(em, sql`commit`))).rejects.toThrow()
    })
    .catch(() => undefined)
  expect(await stored()).toEqual(['theirs'])
  await expect(add(ctx, 'after')).resolves.toBe(1)
})
