/** SQL that every schema needs the same way, for use in migrations. Each answers statements in order. */

/** Subqueries, so that a statement asks once who the tenant is, and not for every row that it reads. */
const isTheirs = `workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid)
     or (select coalesce(current_setting('app.system', true), '') <> '')`

/** Closes a table to everybody but the tenant that `ctx.tx` has set, its owner included; system jobs see all. */
export const tenantTable = (table: string): string[] => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy ${table}_tenant on ${table} using (${isTheirs})`,
]

/** The same policy for every tenant table that the schema has by now: those made by earlier releases asked for each row. */
export const tenantAskedOnce = (): string[] => [
  `do $policies$ declare closed record; begin
     for closed in select schemaname, tablename, policyname from pg_policies
                    where schemaname = current_schema() and policyname = tablename || '_tenant' loop
       execute format('alter policy %I on %I.%I using (${isTheirs.replaceAll("'", "''")})', closed.policyname, closed.schemaname, closed.tablename);
     end loop;
   end $policies$`,
]

/** Makes a table a record: rows are added and read, never changed or removed, whoever asks. */
export const appendOnly = (table: string): string[] => [
  `create or replace function refuse_change() returns trigger language plpgsql as $$
     begin raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation'; end $$`,
  `create trigger ${table}_append_only before update or delete on ${table} for each row execute function refuse_change()`,
  `create trigger ${table}_never_truncated before truncate on ${table} for each statement execute function refuse_change()`,
]

/**
 * Sets where the schema's functions look, if they say so at all: in the schema, and for temporary objects last. Without
 * that, whoever may make a temporary table decides which table a function with other rights means.
 */
export const ownSearchPath = (): string[] => [
  `do $paths$ declare found regprocedure; begin
     for found in select p.oid from pg_proc p
                   where p.pronamespace = current_schema()::regnamespace
                     and (p.prosecdef or exists (select from unnest(p.proconfig) s where s like 'search_path=%')) loop
       execute format('alter routine %s set search_path = %I, pg_temp', found, current_schema());
     end loop;
   end $paths$`,
]
