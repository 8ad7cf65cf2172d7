import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { contexts, openDatabase, type Context } from '@lettergate/database'
import { createService, type Service } from '@lettergate/service'
import { openStage, type Stage } from '@lettergate/stage'
import { deadLetterStates, eventTables, outboxGroups, outboxHeadersAsText, outboxWrittenOnce } from '../src/ddl.ts'
import { purgeEvents } from '../src/purge-events.ts'

class First extends Migration {
  override up() {
    for (const statement of [
      ...eventTables(),
      ...deadLetterStates(),
      ...outboxWrittenOnce(),
      ...outboxHeadersAsText(),
      ...outboxGroups(),
    ])
      this.addSql(statement)
  }
}
const schema = { schema: 'purged', role: 'purged', migrations: [{ name: '001-first', class: First }] }

let stage: Stage
let service: Service
let system: Context<object>
beforeAll(async () => {
  stage = await openStage({ schemas: [schema] })
  service = createService('purged', { logLevel: 'silent' })
  const db = await service.use(
    openDatabase(service, { url: stage.databaseUrl('purged'), schema: 'purged', entities: [] }),
  )
  system = contexts(db, service, {}).ofSystem('test')
})
afterAll(async () => {
  await service.stop()
  await stage.close()
})

const names = async (table: string, column: string) =>
  (
    await stage.query<{ name: string; n: number }>(
      `select ${column} as name, count(*)::int as n from purged.${table} group by 1 order by 1`,
    )
  ).map(({ name, n }) => `${name} ${n}`)

test('published events stay seven days, inbox rows eight days, and unsettled dead letters without limit', async () => {
  await stage.query(
    `with added as (
       insert into purged.outbox (id, event, payload, headers, created_at)
       select gen_random_uuid(), event, '', '{}', now() - interval '30 days'
         from (values ('old', 2500), ('young', 3), ('waiting', 2)) v (event, rows), generate_series(1, rows)
       returning id, event),
     named as (select event, row_number() over (partition by event) as n, id from added)
     insert into purged.outbox_published (published_at, ids)
     select now() - case event when 'old' then interval '7 days 1 minute' else interval '6 days 23 hours' end - n / 400 * interval '1 second', array_agg(id)
       from named where event <> 'waiting' group by event, n / 400, case when n > 2000 then n end`,
  )
  await stage.query(
    `insert into purged.inbox (consumer, event_id, handled_at)
     select consumer, gen_random_uuid(), now() - age
       from (values ('old', interval '8 days 1 minute', 2500), ('young', interval '7 days 23 hours', 3)) v (consumer, age, rows),
            generate_series(1, rows)`,
  )
  await stage.query(
    `insert into purged.dead_letters (id, consumer, subject, event_id, payload, headers, error, created_at, replayed_at, replay_requested_at, discarded_at, discard_reason)
     select gen_random_uuid(), consumer, 's', gen_random_uuid(), '', '{}', 'e', now() - interval '400 days', now() - replayed, now() - asked, now() - discarded,
            case when discarded is not null then 'test' end
       from (values ('replayed long ago', interval '91 days', interval '92 days', null::interval), ('replayed lately', interval '89 days', interval '90 days', null),
                    ('discarded long ago', null, null, interval '91 days'), ('discarded lately', null, null, interval '89 days'),
                    ('dead', null, null, null), ('replaying', null, interval '300 days', null)) v (consumer, replayed, asked, discarded)`,
  )
  await purgeEvents((work) => system.tx(work))
  expect(await names('outbox', 'event')).toEqual(['waiting 2', 'young 3'])
  expect(await stage.query('select sum(cardinality(ids))::int as n from purged.outbox_published')).toEqual([{ n: 3 }])
  expect(await names('inbox', 'consumer')).toEqual(['young 3'])
  expect(await names('dead_letters', 'consumer')).toEqual([
    'dead 1',
    'discarded lately 1',
    'replayed lately 1',
    'replaying 1',
  ])
})
