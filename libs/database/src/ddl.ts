/** SQL that every schema needs the same way, for use in migrations. Each answers statements in order. */

/** Closes a table to everybody but the tenant that `ctx.tx` has set, its owner included; system jobs see all. */
export const tenantTable = (table: string): string[] => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy ${table}_tenant on ${table} using (
     workspace_id = nullif(current_setting('app.workspace_id', true), '')::uuid
     or coalesce(current_setting('app.system', true), '') <> '')`,
]

/** Makes a table a record: rows are added and read, never changed or removed, whoever asks. */
export const appendOnly = (table: string): string[] => [
  `create or replace function refuse_change() returns trigger language plpgsql as $$
     begin raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation'; end $$`,
  `create trigger ${table}_append_only before update or delete on ${table} for each row execute function refuse_change()`,
  `create trigger ${table}_never_truncated before truncate on ${table} for each statement execute function refuse_change()`,
]
