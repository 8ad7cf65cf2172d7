/** SQL for migrations that several schemas share. Each function returns statements in order. */

/** Subqueries, so that PostgreSQL evaluates the tenant once for each statement, not for each row. */
const isOwnRow = `workspace_id = (select nullif(current_setting('app.workspace_id', true), '')::uuid)
     or (select coalesce(current_setting('app.system', true), '') <> '')`

/** Row-level security: only the tenant that `ctx.tx` has set sees its rows, even as owner of the table. System jobs see all rows. */
export const tenantTable = (table: string): string[] => [
  `alter table ${table} enable row level security`,
  `alter table ${table} force row level security`,
  `create policy ${table}_tenant on ${table} using (${isOwnRow})`,
]

/** Updates the policy of every existing tenant table. Policies of earlier releases evaluated the tenant for each row. */
export const tenantAskedOnce = (): string[] => [
  `do $policies$ declare closed record; begin
     for closed in select schemaname, tablename, policyname from pg_policies
                    where schemaname = current_schema() and policyname = tablename || '_tenant' loop
       execute format('alter policy %I on %I.%I using (${isOwnRow.replaceAll("'", "''")})', closed.policyname, closed.schemaname, closed.tablename);
     end loop;
   end $policies$`,
]

/** Makes a table append-only: rows can be inserted and read, but no role can change or delete them. */
export const appendOnly = (table: string): string[] => [
  `create or replace function refuse_change() returns trigger language plpgsql as $$
     begin raise exception 'rows of % are never changed or removed', tg_table_name using errcode = 'restrict_violation'; end $$`,
  `create trigger ${table}_append_only before update or delete on ${table} for each row execute function refuse_change()`,
  `create trigger ${table}_never_truncated before truncate on ${table} for each statement execute function refuse_change()`,
]

/**
 * A table whose rows cannot be committed: a transaction that inserts one can only be rolled back. `ctx.rolledBack` begins with
 * such a row.
 */
export const neverCommitted = (): string[] => [
  `create table never_committed (is_rolled_back boolean not null check (is_rolled_back))`,
  `create function refuse_commit() returns trigger language plpgsql as $$
     begin raise exception 'this transaction can only be rolled back' using errcode = 'restrict_violation'; end $$`,
  `create constraint trigger never_committed_refused after insert on never_committed
     deferrable initially deferred for each row execute function refuse_commit()`,
]

/**
 * Sets the search path of the schema's functions: first the schema, and temporary objects last. Without this, a role that can
 * create a temporary table could replace a table that a function with other rights uses.
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

/** A column, or several, whose values are the key of a row of another table. */
export interface CheckedReference {
  /** unique in the schema; the name of the constraint in errors */
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly to: string
  /** the key of the other table, in the order of `columns` */
  readonly key: readonly string[]
  /** what happens to rows that refer to a deleted row; `never`: the other table is append-only, so none is deleted or locked */
  readonly onDelete: 'cascade' | 'never'
}

/** Rows are looked up one by one in an index, because the plan is kept while the tables grow. */
const triggerFunction = (
  name: string,
  body: string,
  settings = '',
) => `create or replace function ${name}() returns trigger language plpgsql
     security definer set search_path from current
     set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off ${settings} as $$ ${body} end $$`

const joinedBy = ({ columns, key }: CheckedReference, child: string, parent: string) =>
  columns.map((column, at) => `${parent}.${key[at]} = ${child}.${column}`).join(' and ')

/**
 * The function that checks new rows of a reference. A row that this transaction inserted or changed itself needs no lock: until
 * the commit nobody else can delete it. Locking it would write to its page and to the write-ahead log once more.
 *
 * A lookup reads its range of one key in order and without a sort, which only the index on the key can do. While a table is
 * empty, all its indexes that begin with the same column cost the same, and the plan that is made then is kept while it grows.
 */
export function referenceCheck(reference: CheckedReference): string {
  const { name, table, columns, to, onDelete } = reference
  const key = reference.key.at(-1)
  const given = `a.${columns.at(-1)}`
  const others = columns.slice(0, -1).map((column, at) => `p.${reference.key[at]} = a.${column} and `)
  const found = (alias: string, condition: string, lock: string) =>
    `left join lateral (select true as found from ${to} p
                          where ${others.join('')}p.${key} between ${given} and ${given}${condition}
                          order by p.${key} limit 1 ${lock}) ${alias} on true`
  const [declared, counted, lookups] =
    onDelete === 'never'
      ? ['', 'other.found', found('other', '', '')]
      : [
          'mine xid := pg_current_xact_id()::xid;',
          'coalesce(own.found, other.found)',
          `${found('own', ' and p.xmin = mine', '')} ${found('other', ' and own.found is null', 'for key share')}`,
        ]
  return triggerFunction(
    `${name}_exists`,
    `declare given bigint; found bigint; ${declared} begin
         select count(*), count(${counted}) into given, found
           from (select distinct ${columns.join(', ')} from added) a
           ${lookups}
          where ${columns.map((column) => `a.${column} is not null`).join(' and ')};
         if found < given then
           raise exception 'a row of ${table} refers to no row of ${to}'
             using errcode = 'foreign_key_violation', constraint = '${name}', table = '${table}';
         end if;
         return null;`,
    'set enable_sort = off',
  )
}

/**
 * A foreign key that is checked once for each statement, in one query. A foreign key of PostgreSQL takes a query for each row,
 * which is the larger part of inserting many narrow rows. As there, an insert locks the rows that it refers to (`for key share`)
 * and fails without them; references and keys do not change. Writers must be READ COMMITTED. `to` needs an index on `key`, and
 * `table` one that begins with `columns`.
 */
export function checkedReference(reference: CheckedReference): string[] {
  const { name, table, columns, to, key, onDelete } = reference
  const inserted = [
    referenceCheck(reference),
    `create trigger ${name}_exists after insert on ${table} referencing new table as added
       for each statement execute function ${name}_exists()`,
    `create or replace function refuse_other_key() returns trigger language plpgsql as $$
       begin raise exception 'keys and references of % do not change', tg_table_name using errcode = 'foreign_key_violation'; end $$`,
    ...[
      { of: table, names: columns },
      { of: to, names: key },
    ].map(
      ({ of, names }) => `create trigger ${name}_${of}_fixed before update of ${names.join(', ')} on ${of} for each row
       when ((${names.map((each) => `old.${each}`).join(', ')}) is distinct from (${names.map((each) => `new.${each}`).join(', ')}))
       execute function refuse_other_key()`,
    ),
  ]
  if (onDelete === 'never') return inserted
  return [
    ...inserted,
    triggerFunction(
      `${name}_cascade`,
      `begin delete from ${table} c using gone p where ${joinedBy(reference, 'c', 'p')}; return null;`,
    ),
    `create trigger ${name}_cascade after delete on ${to} referencing old table as gone
       for each statement execute function ${name}_cascade()`,
  ]
}
