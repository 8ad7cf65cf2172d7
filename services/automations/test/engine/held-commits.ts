import pg from 'pg'
import { until } from '@lettergate/stage'

/** Advisory locks of these tests: this number and the table. */
const lockSpace = 4_711

/**
 * Lets a test hold transactions that insert into a table between their last statement and the end of their commit. The one who
 * commits waits, and the commit succeeds after the test releases it, whether he still runs or not.
 */
export async function heldCommits(adminUrl: string, tables: readonly string[]) {
  const holder = new pg.Client({ connectionString: adminUrl, application_name: 'stage' })
  await holder.connect()
  await holder.query(
    `create function public.wait_at_commit() returns trigger language plpgsql as $$
     begin
       perform set_config('lock_timeout', '0', true); -- it waits until the test releases it
       perform pg_advisory_xact_lock_shared(${lockSpace}, tg_relid::int);
       return null;
     end $$`,
  )
  for (const table of tables)
    await holder.query(
      `create constraint trigger wait_at_commit after insert on ${table} deferrable initially deferred
       for each row execute function public.wait_at_commit()`,
    )
  const lock = (call: string, table: string) =>
    holder.query(`select ${call}(${lockSpace}, '${table}'::regclass::oid::int)`)
  return {
    hold: (table: string) => lock('pg_advisory_lock', table),
    /** Resolves when a transaction waits at its commit. */
    reached: () =>
      until(
        async () => {
          const waiting = await holder.query(
            `select from pg_locks where locktype = 'advisory' and classid = ${lockSpace} and not granted
                and database = (select oid from pg_database where datname = current_database())`,
          )
          return waiting.rowCount! > 0
        },
        { everyMs: 2, what: 'a commit that is held' },
      ),
    release: (table: string) => lock('pg_advisory_unlock', table),
    close: () => holder.end(),
  }
}
