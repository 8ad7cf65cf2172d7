import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { Migration } from '@mikro-orm/migrations'
import pg from 'pg'
import { openStage, until, type Stage } from '@lettergate/stage'
import { checkedReference, tenantTable } from '../src/ddl.ts'

class Tables extends Migration {
  override up() {
    const statements = [
      'create table people (workspace_id uuid not null, id uuid not null, city text, primary key (workspace_id, id))',
      'create index people_by_city on people (workspace_id, city)',
      ...tenantTable('people'),
      'create table notes (workspace_id uuid not null, person_id uuid not null, id uuid not null, primary key (workspace_id, person_id, id))',
      ...tenantTable('notes'),
      ...checkedReference({
        name: 'notes_person',
        table: 'notes',
        columns: ['workspace_id', 'person_id'],
        to: 'people',
        key: ['workspace_id', 'id'],
        onDelete: 'cascade',
      }),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}

let stage: Stage
beforeAll(async () => {
  stage = await openStage({
    schemas: [{ schema: 'people', role: 'people', migrations: [{ name: '001', class: Tables }] }],
  })
})
afterAll(() => stage.close())

const workspace = randomUUID()
/** A connection of the service, in a transaction of the workspace. */
async function transaction(workspaceId = workspace) {
  const client = new pg.Client({ connectionString: stage.databaseUrl('people'), options: '-c search_path=people' })
  await client.connect()
  await client.query('begin')
  await client.query("select set_config('app.workspace_id', $1, true)", [workspaceId])
  return {
    query: (text: string, ...values: unknown[]) => client.query(text, values),
    end: async (how: 'commit' | 'rollback') => {
      try {
        await client.query(how)
      } finally {
        await client.end()
      }
    },
  }
}
async function done(text: string, ...values: unknown[]) {
  const own = await transaction()
  try {
    await own.query(text, ...values)
  } catch (error) {
    await own.end('rollback')
    throw error
  }
  await own.end('commit')
}
const person = async () => {
  const id = randomUUID()
  await done('insert into people values ($1, $2)', workspace, id)
  return id
}
const addNote = 'insert into notes values ($1, $2, gen_random_uuid())'
const notesOf = async (id: string) => (await stage.query('select from people.notes where person_id = $1', [id])).length
const somebodyWaits = () =>
  until(
    async () =>
      (
        await stage.query(
          "select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'",
        )
      ).length > 0,
  )
const violation = { code: '23503', constraint: 'notes_person' }

test('a statement in which one row refers to nothing is refused as a whole', async () => {
  const [known, unknown] = [await person(), randomUUID()]
  const added = done('insert into notes select $1::uuid, p, gen_random_uuid() from unnest($2::uuid[]) p', workspace, [
    known,
    unknown,
  ])
  await expect(added).rejects.toMatchObject(violation)
  expect(await notesOf(known)).toBe(0)
  await done(addNote, workspace, known)
  expect(await notesOf(known)).toBe(1)
})

test("another workspace's row is none to refer to", async () => {
  const theirs = await transaction(randomUUID())
  await expect(theirs.query(addNote, workspace, await person())).rejects.toThrow()
  await theirs.end('rollback')
})

test('a deleted row takes the rows with it that refer to it, and no others', async () => {
  const [gone, stays] = [await person(), await person()]
  for (const id of [gone, gone, stays]) await done(addNote, workspace, id)
  await done('delete from people where id = $1', gone)
  expect([await notesOf(gone), await notesOf(stays)]).toEqual([0, 1])
})

test('neither a key nor a reference changes', async () => {
  const [one, other] = [await person(), await person()]
  await done(addNote, workspace, one)
  await expect(done('update notes set person_id = $1 where person_id = $2', other, one)).rejects.toThrow(
    'do not change',
  )
  await expect(done('update people set id = $1 where id = $2', randomUUID(), one)).rejects.toThrow('do not change')
})

test('a deletion waits for a row that is just added, and takes it with it', async () => {
  const id = await person()
  const adding = await transaction()
  await adding.query(addNote, workspace, id)
  const deleted = done('delete from people where id = $1', id)
  await somebodyWaits()
  await adding.end('commit')
  await deleted
  expect(await notesOf(id)).toBe(0)
})

test('a row that is added during a deletion waits, and is refused after its commit', async () => {
  const id = await person()
  const deleting = await transaction()
  await deleting.query('delete from people where id = $1', id)
  const added = done(addNote, workspace, id).catch((error: unknown) => error)
  await somebodyWaits()
  await deleting.end('commit')
  expect(await added).toMatchObject(violation)
  expect(await notesOf(id)).toBe(0)
})

test('a row that the transaction itself added is not locked again, and the deletion of one that it changed waits', async () => {
  const [added, changed, known] = [randomUUID(), await person(), await person()]
  const own = await transaction()
  await own.query('insert into people values ($1, $2)', workspace, added)
  await own.query('update people set workspace_id = workspace_id where id = $1', changed)
  for (const id of [added, changed, known]) await own.query(addNote, workspace, id)
  const isLocked = async (id: string) =>
    (await own.query(`select xmax <> '0' as locked from people where id = $1`, id)).rows[0].locked
  expect([await isLocked(added), await isLocked(known)]).toEqual([false, true])
  const deleted = done('delete from people where id = $1', changed)
  await somebodyWaits()
  await own.end('commit')
  await deleted
  expect([await notesOf(added), await notesOf(changed), await notesOf(known)]).toEqual([1, 0, 1])
})

test('a row that the transaction itself deleted is none to refer to', async () => {
  const id = await person()
  const own = await transaction()
  await own.query('delete from people where id = $1', id)
  await expect(own.query(addNote, workspace, id)).rejects.toMatchObject(violation)
  await own.end('rollback')
})

test('rows are looked up by their key, also with a plan that was made while the table was empty', async () => {
  const other = randomUUID()
  const scans = async () =>
    stage.query<{ index: string; scans: number }>(
      `select indexrelname as index, idx_scan::int as scans from pg_stat_user_indexes where relname = 'people' order by 1`,
    )
  const scansBefore = Object.fromEntries((await scans()).map(({ index, scans: count }) => [index, count]))
  await stage.query('truncate people.people, people.notes')
  await stage.query('analyze people.people')
  const own = await transaction(other)
  const add = async (ids: string[]) => {
    await own.query('insert into people (workspace_id, id) select $1, unnest($2::uuid[])', other, ids)
    await own.query(
      'insert into notes (workspace_id, person_id, id) select $1, i, i from unnest($2::uuid[]) i',
      other,
      ids,
    )
  }
  await add([randomUUID()])
  await add(Array.from({ length: 100 }, () => randomUUID()))
  await own.end('commit')
  await until(async () => (await scans()).some(({ index, scans: count }) => count > scansBefore[index]!))
  expect((await scans()).find(({ index }) => index === 'people_by_city')!.scans).toBe(scansBefore['people_by_city'])
})
