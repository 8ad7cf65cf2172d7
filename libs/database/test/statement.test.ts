import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineEntity, p } from '@mikro-orm/core'
import { Migration } from '@mikro-orm/migrations'
import { createService, type Service } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import {
  column,
  columns,
  contexts,
  held,
  kyselyOf,
  leftJoined,
  newId,
  nullable,
  openDatabase,
  prepared,
  sql,
  statement,
  type Context,
  type Row,
} from '../src/database.ts'
import { checkShape } from '../src/statement-check.ts'

const Shelf = defineEntity({ name: 'Shelf', tableName: 'shelves', properties: { id: p.uuid().primary() } })
const Book = defineEntity({
  name: 'Book',
  tableName: 'books',
  properties: {
    id: p.uuid().primary(),
    shelfId: p.uuid().nullable(),
    title: p.text().$type<'Emma' | 'Ulysses'>(),
    pages: p.integer(),
    sold: p.bigint(),
    cover: p.blob().nullable(),
    tags: p.array(),
    about: p.json<{ year?: number }>(),
    boughtAt: p.datetime().defaultRaw('now()'),
  },
})

class First extends Migration {
  override up() {
    this.addSql('create table shelves (id uuid primary key)')
    this
      .addSql(`create table books (id uuid primary key, shelf_id uuid, title text not null, pages integer not null, sold bigint not null,
      cover bytea, tags text[] not null, about jsonb not null, bought_at timestamptz not null default now())`)
  }
}
const schema = { schema: 'books', role: 'books', migrations: [{ name: '001-first', class: First }] }

let stage: Stage
let service: Service
let ctx: Context<object>
const id = newId()

beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('books', { logLevel: 'silent' })
  const db = await service.use(
    openDatabase(service, { url: stage.databaseUrl('books'), schema: 'books', entities: [Shelf, Book] }),
  )
  ctx = contexts(db, service, {}).ofSystem('test')
  await ctx.tx((em) =>
    statement('insert-book').execute(
      em,
      sql`insert into books (id, title, pages, sold, tags, about) values (${id}, 'Emma', 400, 12, '{old}', '{"year": 1815}')`,
    ),
  )
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const expected = { title: 'Emma', pages: 400, sold: '12', cover: null, tags: ['old'], about: { year: 1815 } } as const

test('the type of a row is derived from the entity, and the row matches it', async () => {
  const books = statement('books', columns(Book))
  const [book] = await ctx.tx((em) => books.rows(em, sql`select * from books`))
  const row: Row<typeof Book> = book!
  expect(row).toMatchObject({ id, shelf_id: null, ...expected })
  const soldAndBought: [sold: string, bought: string, title: 'Emma' | 'Ulysses'] = [row.sold, row.bought_at, row.title]
  expect(soldAndBought).toEqual(['12', expect.stringMatching(/^\d{4}-/), 'Emma'])
})

test('a query of the builder has rows of the same type, with the column names of the database', async () => {
  const [book] = await ctx.tx((em) =>
    kyselyOf(em, Book, Shelf)
      .selectFrom('books as b')
      .leftJoin('shelves as s', 's.id', 'b.shelf_id')
      .selectAll('b')
      .select('s.id as shelf')
      .where('b.bought_at', '>', '2000-01-01')
      .execute(),
  )
  const row: Row<typeof Book> & { shelf: string | null } = book!
  expect(row).toMatchObject({ ...expected, shelf: null })
  // @ts-expect-error -- the table has no such column
  await expect(ctx.tx((em) => kyselyOf(em, Book).selectFrom('books').select('author').execute())).rejects.toThrow()
})

test('calculated columns are declared together with columns of tables', async () => {
  const counted = statement('count-books', {
    ...columns(Book, 'title'),
    ...leftJoined(columns(Shelf, 'id')),
    count: column.integer(),
    last: nullable(column.timestamptz()),
  })
  const found = await ctx.tx((em) =>
    counted.row(
      em,
      sql`select b.title, s.id, count(*)::int as count, max(b.bought_at) as last from books b left join shelves s on s.id = b.shelf_id group by 1, 2`,
    ),
  )
  const { count, id: shelfId }: { count: number; id: string | null } = found!
  expect({ count, shelfId }).toEqual({ count: 1, shelfId: null })
})

const shape = { ...columns(Book, 'id', 'title'), pages: column.integer() }
const run = (text: string) => ctx.tx((em) => statement('wrong-books', shape).rows(em, sql.raw(text)))

test.each([
  ['a column is missing', 'select id, title from books', 'pages is missing'],
  ['a column is not declared', 'select id, title, pages, sold from books', 'sold is not declared'],
  [
    'a column has another type',
    'select id, title, pages::bigint from books',
    'pages is of the type with oid 20, declared 23',
  ],
  ['a column is null', 'select id, title, null::int as pages from books', 'pages is null'],
  ['two columns have one name', 'select id, title, pages, pages from books', 'two columns have the same name'],
  ['a result without rows has another shape', 'select id, title from books where false', 'pages is missing'],
])('in tests, a statement throws if %s', async (_, text, problem) => {
  const problemOfStatement = `the statement wrong-books does not answer what it declares: ${problem}`
  await expect(run(text)).rejects.toThrow(problemOfStatement)
})

test('prepared statements, statements after a held one, and fetches from a cursor are also checked', async () => {
  const wrong = statement('wrong-prepared', columns(Book, 'title'))
  const ids = statement('right-prepared', columns(Book, 'id'))
  const text = prepared(sql`select id from books`)
  for (let round = 0; round < 3; round += 1) {
    expect(await ctx.tx((em) => ids.rows(em, text))).toEqual([{ id }])
    await expect(ctx.tx((em) => wrong.rows(em, text))).rejects.toThrow('title is missing; id is not declared')
  }
  const afterHeld = ctx.tx(async (em) => {
    await statement('hold').execute(em, held(sql`update books set pages = 401`))
    return wrong.rows(em, text)
  })
  await expect(afterHeld).rejects.toThrow('title is missing')
  const fetched = ctx.tx(async (em) => {
    await statement('declare').execute(em, sql`declare opened no scroll cursor for select id from books`)
    expect(await ids.rows(em, sql`fetch 10 from opened`)).toEqual([{ id }])
    return wrong.rows(em, sql`fetch 10 from opened`)
  })
  await expect(fetched).rejects.toThrow('title is missing')
})

test('rows that did not come from the database cannot be checked', () => {
  expect(() => checkShape('made-up', shape, [{ id }])).toThrow('rows of an unknown origin')
})

test('a property with an unknown type is refused', () => {
  const Odd = defineEntity({ name: 'Odd', tableName: 'odd', properties: { hour: p.time().primary() } })
  expect(() => columns(Odd)).toThrow('odd.hour has a type that libs/database does not know')
})
