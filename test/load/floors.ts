import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'
import { Pool } from 'undici'
import { startNats } from '@lettergate/stage/nats'
import { tagsOfPerson } from './people.ts'

export type Floor = Awaited<ReturnType<typeof openFloor>>

/** Creates the database of the floor on the server of Lettergate, so that both use the same disk, memory and settings. */
export async function openFloor(adminUrl: string, signingKey: string) {
  const admin = new pg.Client({ connectionString: adminUrl })
  await admin.connect()
  await admin.query('drop database if exists floor with (force)')
  await admin.query('create database floor')
  await admin.end()
  const url = Object.assign(new URL(adminUrl), { pathname: '/floor' }).toString()
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => undefined)
  await pool.query(`
    create table people (id uuid primary key, email text unique not null, first_name text);
    create table events (id text primary key, body jsonb not null, at timestamptz not null default now());
    create table members (contact_id uuid primary key, email text unique not null, suppressed_at timestamptz);
    create table consents (id uuid primary key, person_id uuid not null, audience_id uuid not null, claim jsonb not null, at timestamptz not null default now());
    create index on consents (person_id, id);
    create table sign_ups (audience_id uuid, person_id uuid, consent_id uuid not null, primary key (audience_id, person_id));
    create table receipts (key text primary key, event_id uuid unique not null, payload jsonb not null, consent_id uuid not null);
    create table source (n bigint primary key, id uuid not null, email text not null, tags text[] not null);
    create table recipients (id uuid primary key, run_id uuid not null, contact_id uuid not null, email text not null, state text not null default 'pending', provider_id text);
    create index on recipients (run_id, state)`)
  const child = spawn(process.execPath, [new URL('floor-server.ts', import.meta.url).pathname, url, signingKey], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    pool,
    pid: child.pid!,
    origin: `http://127.0.0.1:${line.toString().trim()}`,
    async close() {
      child.kill('SIGTERM')
      await pool.end()
    },
  }
}

/** Reads the members that match `where` through a cursor and inserts them by unnest, a thousand at a time, in one transaction. Returns seconds. */
export async function snapshotFloor(
  pool: pg.Pool,
  { members, where, fitting }: { members: number; where: string; fitting: number },
): Promise<number> {
  await pool.query('truncate source, recipients')
  await pool.query(
    `insert into source select n, gen_random_uuid(), 'person' || n || '@example.test', ${tagsOfPerson} from generate_series(1, $1::int) n`,
    [members],
  )
  await pool.query('analyze source')
  const run = randomUUID()
  const client = await pool.connect()
  let inserted = 0
  const began = performance.now()
  await client.query('begin')
  await client.query(`declare people cursor for select id, email from source where ${where} order by n`)
  for (;;) {
    const { rows } = await client.query<{ id: string; email: string }>('fetch 1000 from people')
    if (rows.length === 0) break
    inserted += rows.length
    await client.query(
      'insert into recipients (id, run_id, contact_id, email) select gen_random_uuid(), $1, id, email from unnest($2::uuid[], $3::text[]) as t (id, email)',
      [run, rows.map((row) => row.id), rows.map((row) => row.email)],
    )
  }
  await client.query('commit')
  const seconds = (performance.now() - began) / 1_000
  client.release()
  if (inserted !== fitting) throw new Error(`the floor inserted ${inserted} of ${fitting}`)
  return seconds
}

/** Claims 100 recipients, hands them over in one call with their variables, and settles them, with `callsAtOnce` concurrent calls. Returns messages per second. */
export async function deliveryFloor(
  pool: pg.Pool,
  provider: string,
  { recipients, callsAtOnce, html }: { recipients: number; callsAtOnce: number; html: string },
): Promise<number> {
  await pool.query('truncate recipients')
  await pool.query(
    `insert into recipients (id, run_id, contact_id, email)
     select gen_random_uuid(), $2, gen_random_uuid(), 'person' || n || '+silent@example.test' from generate_series(1, $1::int) n`,
    [recipients, randomUUID()],
  )
  await pool.query('analyze recipients')
  const http = new Pool(provider, { connections: callsAtOnce })
  const began = performance.now()
  const worker = async () => {
    for (;;) {
      const { rows } = await pool.query<{ id: string; email: string }>(
        `update recipients set state = 'claimed' where id in (select id from recipients where state = 'pending' limit 100 for update skip locked) returning id, email`,
      )
      if (rows.length === 0) return
      const id = await handOver(http, rows, html)
      await pool.query(`update recipients set state = 'accepted', provider_id = $2 where id = any($1::uuid[])`, [
        rows.map((row) => row.id),
        id,
      ])
    }
  }
  await Promise.all(Array.from({ length: callsAtOnce }, worker))
  const elapsed = (performance.now() - began) / 1_000
  await http.close()
  return recipients / elapsed
}

async function handOver(http: Pool, rows: readonly { id: string; email: string }[], html: string): Promise<string> {
  const form = new URLSearchParams({
    from: 'floor@mail.acme.test',
    subject: 'Hello',
    html,
    'v:message_id': '%recipient.id%',
  })
  for (const { email } of rows) form.append('to', email)
  form.set('recipient-variables', JSON.stringify(Object.fromEntries(rows.map(({ id, email }) => [email, { id }]))))
  const answer = await http.request({
    method: 'POST',
    path: '/v3/mail.acme.test/messages',
    headers: {
      authorization: `Basic ${Buffer.from('api:dev-api-key').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  })
  return ((await answer.body.json()) as { id: string }).id
}

export type EventsFloor = Awaited<ReturnType<typeof openEventsFloor>>

/** A floor with a NATS server of its own: messages in a stream, which one worker writes by `unnest`, 500 at a time. */
export async function openEventsFloor(pool: pg.Pool) {
  const directory = mkdtempSync(join(tmpdir(), 'lettergate-floor-'))
  const server = await startNats({ directory })
  const connection = await connect({ servers: server.url })
  const [js, jsm] = [jetstream(connection), await jetstreamManager(connection)]
  await jsm.streams.add({ name: 'FLOOR', subjects: ['floor.>'] })
  await jsm.consumers.add('FLOOR', { durable_name: 'floor', ack_policy: AckPolicy.Explicit, max_ack_pending: 2_000 })
  const consumer = await js.consumers.get('FLOOR', 'floor')
  return {
    pid: server.pid,
    /** Publishes `times` messages for each id, and stores their recipients. */
    async publish({ ids, times }: { ids: readonly string[]; times: number }): Promise<void> {
      await pool.query(
        'insert into recipients (id, run_id, contact_id, email) select id, $1, id, id::text from unnest($2::uuid[]) as id',
        [randomUUID(), ids],
      )
      for (let time = 0; time < times; time += 1) {
        for (let from = 0; from < ids.length; from += 500)
          await Promise.all(
            ids
              .slice(from, from + 500)
              .map((id) => js.publish('floor.event', JSON.stringify({ id, kind: `k${time}` }))),
          )
      }
    },
    /** Takes this number of messages and writes them. */
    async write(total: number): Promise<void> {
      for (let taken = 0; taken < total;) {
        const messages = []
        for await (const message of await consumer.fetch({ max_messages: 500, expires: 1_000 })) messages.push(message)
        const events = messages.map((message) => message.json<{ id: string; kind: string }>())
        await pool.query(
          'update recipients r set provider_id = t.kind from unnest($1::uuid[], $2::text[]) as t (id, kind) where r.id = t.id',
          [events.map(({ id }) => id), events.map(({ kind }) => kind)],
        )
        for (const message of messages) message.ack()
        taken += messages.length
      }
    },
    async close(): Promise<void> {
      await connection.close()
      await server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}
