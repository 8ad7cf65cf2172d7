import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** One more than a worker does sets of one workspace at once (AUTOMATION_SETS_AT_ONCE). */
const connections = 4

const tables = `
  drop table if exists f_inbox, f_enrollments, f_positions, f_due, f_steps, f_receipts, f_contacts, f_contact_tags;
  create table f_inbox (event_id uuid primary key, at timestamptz not null default now());
  create table f_enrollments (id uuid primary key, automation_id uuid not null, contact_id uuid not null, enrolled_at timestamptz not null, ended_at timestamptz);
  create table f_positions (enrollment_id uuid primary key, automation_id uuid not null, contact_id uuid not null, state text not null, node integer not null,
                            step_id uuid not null, due_at timestamptz not null, unique (contact_id, automation_id)) with (fillfactor = 70);
  create table f_due (due_at timestamptz, enrollment_id uuid, primary key (due_at, enrollment_id));
  create table f_steps (enrollment_id uuid, number integer, step_id uuid not null, node text not null, outcome text not null,
                        finished_at timestamptz not null, primary key (enrollment_id, number));
  create table f_receipts (step_id uuid primary key, contact_id uuid not null, outcome text not null);
  create table f_contacts (id uuid primary key, email text not null, score integer not null default 0) with (fillfactor = 70);
  create table f_contact_tags (contact_id uuid, tag text, primary key (contact_id, tag))`

/** Runs the work on each connection until all say that nothing is left. Returns seconds. */
async function onEachConnection(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<boolean>): Promise<number> {
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await pool.connect()
      try {
        while (await work(client));
      } finally {
        client.release()
      }
    }),
  )
  return (performance.now() - began) / 1_000
}

async function transaction(client: pg.PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  await work()
  await client.query('commit')
}

/** Creates empty tables for a turn of the floor. */
export const emptyAutomationTables = (pool: pg.Pool): Promise<unknown> => pool.query(tables)

/**
 * Enrols a contact for each event in a transaction, and takes it to a long wait in another one: the rows that Lettergate writes.
 * Needs empty tables. Returns seconds.
 */
export async function enrollOneByOne(pool: pg.Pool, people: number): Promise<number> {
  const automationId = randomUUID()
  let begun = 0
  return onEachConnection(pool, async (client) => {
    if (begun >= people) return false
    begun += 1
    const now = new Date()
    const id = randomUUID()
    await transaction(client, async () => {
      await client.query('insert into f_inbox (event_id) values ($1) on conflict do nothing', [randomUUID()])
      await client.query(
        `with entered as (
           insert into f_positions values ($1, $2, $3, 'active', 1, $4, $5) on conflict (contact_id, automation_id) do nothing returning enrollment_id),
         begun as (insert into f_enrollments select enrollment_id, $2, $3, $5 from entered)
         insert into f_due select $5, enrollment_id from entered`,
        [id, automationId, randomUUID(), randomUUID(), now],
      )
    })
    const until = new Date(now.getTime() + 1e10)
    await transaction(client, async () => {
      await client.query('select state from f_positions where enrollment_id = $1 for update', [id])
      await client.query(
        `with gone as (delete from f_due where due_at = $2 and enrollment_id = $1),
         moved as (update f_positions set state = 'waiting', due_at = $3 where enrollment_id = $1)
         insert into f_due values ($3, $1)`,
        [id, now, until],
      )
    })
    return true
  })
}

/** The nodes that a contact passes in the floor. The last one ends the enrollment. */
export type FloorNode = 'wait' | 'tag' | 'score' | 'decision' | 'end'

interface Position {
  enrollment_id: string
  contact_id: string
  node: number
  step_id: string
}

/** Fills the tables for a turn of the floor with contacts whose first step is due. */
export async function insertDueInFloor(pool: pg.Pool, people: number): Promise<void> {
  await emptyAutomationTables(pool)
  await pool.query(
    `with people as (select gen_random_uuid() as id, gen_random_uuid() as contact_id from generate_series(1, $1::int)),
     contacts as (insert into f_contacts select contact_id, contact_id || '@example.test' from people),
     begun as (insert into f_enrollments select id, $2, contact_id, now() from people),
     positions as (insert into f_positions select id, $2, contact_id, 'waiting', 1, gen_random_uuid(), now() from people)
     insert into f_due select now(), id from people`,
    [people, randomUUID()],
  )
  await pool.query('analyze f_positions, f_due, f_contacts')
}

/**
 * Does each step of each contact in a transaction of its own: takes it, has its effect once, records it, and makes the next one due.
 * Returns seconds.
 */
export const doStepsOneByOne = (pool: pg.Pool, nodes: readonly FloorNode[]): Promise<number> =>
  onEachConnection(pool, async (client) => {
    let isAny = false
    await transaction(client, async () => {
      const { rows } = await client.query<Position>(
        `with taken as (
           delete from f_due where (due_at, enrollment_id) =
             (select due_at, enrollment_id from f_due where due_at <= now() order by due_at, enrollment_id limit 1 for update skip locked) returning enrollment_id)
         select p.enrollment_id, p.contact_id, p.node, p.step_id from f_positions p join taken using (enrollment_id) for update of p`,
      )
      const [position] = rows
      if (!position) return
      isAny = true
      const node = nodes[position.node - 1]!
      await haveEffect(client, node, position)
      await settle(client, node, position)
    })
    return isAny
  })

async function haveEffect(
  client: pg.PoolClient,
  node: FloorNode,
  { contact_id: contactId, step_id: stepId }: Position,
) {
  const receipt = `receipt as (insert into f_receipts values ($1, $2, 'applied') on conflict do nothing returning contact_id)`
  if (node === 'tag')
    await client.query(
      `with ${receipt} insert into f_contact_tags select contact_id, 'welcomed' from receipt on conflict do nothing`,
      [stepId, contactId],
    )
  if (node === 'score')
    await client.query(
      `with ${receipt} update f_contacts c set score = score + 1 from receipt r where c.id = r.contact_id`,
      [stepId, contactId],
    )
  if (node === 'decision') await client.query('select email, score from f_contacts where id = $1', [contactId])
}

async function settle(client: pg.PoolClient, node: FloorNode, position: Position) {
  const { enrollment_id: id, node: number, step_id: stepId } = position
  const step = `step as (insert into f_steps values ($1, $2, $3, $4, 'done', now()))`
  if (node === 'end')
    await client.query(
      `with ${step}, gone as (delete from f_positions where enrollment_id = $1)
       update f_enrollments set ended_at = now() where id = $1`,
      [id, number, stepId, node],
    )
  else
    await client.query(
      `with ${step}, moved as (update f_positions set state = 'active', node = node + 1, step_id = $5, due_at = now() where enrollment_id = $1)
       insert into f_due values (now(), $1)`,
      [id, number, stepId, node, randomUUID()],
    )
}
