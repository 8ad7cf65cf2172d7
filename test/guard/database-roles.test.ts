// Over 300 lines because every test of rights needs the same migrated database.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { migrate, type ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole, ownerOf, ownersSql, rolesSql } from '@lettergate/database/roles'
import { openStage, type Stage } from '@lettergate/stage'
import { roleUrl } from '@lettergate/stage/roles'
import { read, root, services } from './tree.ts'

let stage: Stage
let all: ServiceSchema[]

beforeAll(async () => {
  const modules = await Promise.all(
    services.map((service) => import(`${root}services/${service}/src/db/migrations.ts`)),
  )
  all = modules.map((module: { schema: ServiceSchema }) => module.schema)
  stage = await openStage({ schemas: all })
})
afterAll(() => stage.close())
const schemaNames = () => all.map(({ schema }) => schema)

/** Everything in the schemas, with its owner. */
const owned = `
  select 'schema' as kind, nspname as schema, nspname::text as name, pg_get_userbyid(nspowner) as owner
    from pg_namespace where nspname = any($1)
  union all
  select 'relation', n.nspname, c.relname, pg_get_userbyid(c.relowner)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = any($1)
  union all
  select 'routine', n.nspname, p.oid::regprocedure::text, pg_get_userbyid(p.proowner)
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any($1)
  union all
  select 'type', n.nspname, t.typname, pg_get_userbyid(t.typowner)
    from pg_type t join pg_namespace n on n.oid = t.typnamespace where n.nspname = any($1)`

interface Owned {
  kind: string
  schema: string
  name: string
  owner: string
}

const ownedByOthers = async () =>
  (await stage.query<Owned>(owned, [schemaNames()])).filter((thing) => thing.owner !== ownerOf(thing.schema))

test('schemas, tables, sequences, functions and types belong to the owner role of their schema', async () => {
  expect((await stage.query(owned, [schemaNames()])).length).toBeGreaterThan(300)
  expect(await ownedByOthers()).toEqual([])
})

test('owner roles and the migrator are no superusers; an owner cannot log in; the migrator is a member of owner roles only', async () => {
  const roles = await stage.query(
    `select rolname as name, rolcanlogin as "canLogin",
            rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication as "isSpecial",
            coalesce((select array_agg(pg_get_userbyid(m.roleid)::text) from pg_auth_members m where m.member = r.oid), '{}') as "memberOf"
       from pg_roles r where rolname = any($1) order by rolname`,
    [[migratorRole, ...all.flatMap(({ schema, role }) => [role, ownerOf(schema)])]],
  )
  const expected = [
    ...all.flatMap(({ schema, role }) => [
      { name: role, canLogin: true, isSpecial: false, memberOf: [] as string[] },
      { name: ownerOf(schema), canLogin: false, isSpecial: false, memberOf: [] as string[] },
    ]),
    { name: migratorRole, canLogin: true, isSpecial: false, memberOf: schemaNames().map(ownerOf).toSorted() },
  ]
  // Other tests of the run may have created owners of their own schemas.
  const ofServices = roles.map((role) => ({
    ...role,
    memberOf: (role.memberOf as string[]).filter((name) => schemaNames().map(ownerOf).includes(name)).toSorted(),
  }))
  expect(ofServices).toEqual(expected.toSorted((one, other) => (one.name < other.name ? -1 : 1)))
})

test('the search path of a function with the rights of its owner has only its own schema, and pg_temp last', async () => {
  const functions = await stage.query<{ schema: string; name: string; settings: string[] | null; isDefiner: boolean }>(
    `select n.nspname as schema, p.oid::regprocedure::text as name, p.proconfig as settings, p.prosecdef as "isDefiner"
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = any($1)`,
    [schemaNames()],
  )
  const definers = functions.filter(({ isDefiner }) => isDefiner)
  expect(definers.length).toBeGreaterThan(3)
  const paths = functions.flatMap(({ schema, name, settings, isDefiner }) => {
    const path = settings?.find((setting) => setting.startsWith('search_path='))
    return path === undefined && !isDefiner ? [] : [{ name, path: path?.replaceAll('"', ''), schema }]
  })
  expect(paths).toEqual(paths.map(({ name, schema }) => ({ name, path: `search_path=${schema}, pg_temp`, schema })))
})

test('PUBLIC cannot create objects in the database, not even temporary tables, or call a function of a schema', async () => {
  const rights = await stage.query(
    `select has_database_privilege('public', current_database(), 'temporary') as temporary,
            has_database_privilege('public', current_database(), 'create') as schemas,
            has_schema_privilege('public', 'public', 'create') as tables`,
  )
  expect(rights).toEqual([{ temporary: false, schemas: false, tables: false }])
  const callable = await stage.query(
    `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = any($1) and has_function_privilege('public', p.oid, 'execute')`,
    [schemaNames()],
  )
  expect(callable).toEqual([])
})

test('a service role has exactly the rights on tables and functions that its schema declares', async () => {
  const granted = await stage.query<{ grantee: string; on: string; right: string; can_grant: boolean }>(
    `select pg_get_userbyid(a.grantee) as grantee, n.nspname || '.' || c.relname as on, lower(a.privilege_type) as right, a.is_grantable as can_grant
       from pg_class c join pg_namespace n on n.oid = c.relnamespace, aclexplode(c.relacl) a
      where n.nspname = any($1) and a.grantee <> c.relowner`,
    [schemaNames()],
  )
  const allowed = new Set(['select', 'insert', 'update', 'delete', 'usage'])
  const wrong = granted.filter(({ grantee, on, right, can_grant }) => {
    const { role, withheld = {} } = all.find(({ schema }) => on.startsWith(`${schema}.`))!
    return (
      grantee !== role || can_grant || !allowed.has(right) || withheld[on.split('.')[1]!]?.includes(right as 'insert')
    )
  })
  expect(wrong).toEqual([])
  const columns = await stage.query(
    `select c.relname from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and a.attacl is not null`,
    [schemaNames()],
  )
  expect(columns).toEqual([])
})

test('the rights that each schema does not grant to its service, table by table', () => {
  const withheld = Object.fromEntries(all.flatMap(({ schema, withheld }) => (withheld ? [[schema, withheld]] : [])))
  expect(withheld).toEqual({
    contacts: {
      consent_evidence: ['update', 'delete'],
      evidence_erasures: ['insert'],
      shared_details: ['update', 'delete'],
      suppressions: ['delete'],
      platform_suppressions: ['delete'],
      erasures: ['delete'],
      erasure_parts: ['delete'],
      erasure_hash_keys: ['update', 'delete'],
      import_rows: ['update'],
      stopped_imports: ['delete'],
      automation_step_receipts: ['update'],
    },
  })
})

test('a service cannot change or delete evidence, and cannot delete a suppression', async () => {
  const rights = await stage.query(
    `select name from unnest('{consent_evidence,suppressions,platform_suppressions}'::text[]) as name
      where has_table_privilege('contacts', 'contacts.' || name, 'delete')
         or name = 'consent_evidence' and has_table_privilege('contacts', 'contacts.' || name, 'update')`,
  )
  expect(rights).toEqual([])
})

describe.each(services)('the role of %s', (service) => {
  const target = () =>
    all.find(
      (schema) =>
        schema.service === service ||
        service.startsWith(schema.schema) ||
        (schema.schema === 'identity' && service === 'gateway'),
    )!

  test('cannot create objects, take another role or switch off the protection of its tables', async () => {
    const { schema, role } = target()
    const client = new pg.Client({ connectionString: stage.databaseUrl(role) })
    await client.connect()
    try {
      const attempts = [
        'create temporary table shadow (id int)',
        'create temporary sequence shadow',
        'create schema shadow',
        'create table public.shadow (id int)',
        `create table ${schema}.shadow (id int)`,
        `create function ${schema}.shadow() returns int language sql as 'select 1'`,
        `create function public.shadow() returns int language sql as 'select 1'`,
        `create function pg_temp.shadow() returns int language sql as 'select 1'`,
        'set role postgres',
        'set session authorization postgres',
        `set role ${migratorRole}`,
        `set role ${ownerOf(schema)}`,
        `alter role ${role} superuser`,
        `grant ${ownerOf(schema)} to ${role}`,
        `alter table ${schema}.outbox disable trigger all`,
        `alter table ${schema}.outbox disable row level security`,
        `create trigger shadow before insert on ${schema}.outbox for each row execute function suppress_redundant_updates_trigger()`,
        `alter schema ${schema} owner to ${role}`,
        `truncate ${schema}.outbox`,
        'set session_replication_role = replica',
      ]
      for (const attempt of attempts) {
        const code = await client.query(attempt).then(
          () => 'done',
          (error: { code: string }) => error.code,
        )
        expect([attempt, code]).toEqual([attempt, '42501'])
      }
    } finally {
      await client.end()
    }
  })

  test('gains no rights by temporary objects with the names of tables, even if it could create them', async () => {
    const { schema, role } = target()
    const database = new URL(stage.adminUrl).pathname.slice(1)
    await stage.query(`grant temporary on database ${database} to ${role}`)
    const client = new pg.Client({ connectionString: stage.databaseUrl(role), options: `-c search_path=${schema}` })
    await client.connect()
    try {
      await client.query(`create function pg_temp.escalate() returns trigger language plpgsql as $$ begin
        raise exception 'ran as %', current_user using errcode = 'LG001'; end $$`)
      const tables = await stage.query<{ name: string }>(
        `select c.relname as name from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relname <> 'mikro_orm_migrations'`,
        [schema],
      )
      for (const { name } of tables) {
        await client.query(`create temporary table ${name} (like ${schema}.${name} including all)`)
        await client.query(
          `create trigger escalate before insert or update or delete on pg_temp.${name} for each statement execute function pg_temp.escalate()`,
        )
      }
      for (const statement of firing[schema] ?? []) {
        if (statement.asAdmin) {
          const admin = new pg.Client({ connectionString: stage.adminUrl })
          await admin.connect()
          await admin.query(statement.asAdmin)
          await admin.end()
        } else {
          await client.query(statement.asRole!)
        }
      }
      const filled = await Promise.all(
        tables.map(async ({ name }) => (await client.query(`select 1 from pg_temp.${name} limit 1`)).rowCount),
      )
      expect(filled.filter((count) => count !== 0)).toEqual([])
    } finally {
      await client.end()
      await stage.query(`revoke temporary on database ${database} from ${role}`)
    }
  })
})

const [workspace, contact, audience, run] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
const tag = randomUUID()

/** The triggers of each function that runs with the rights of its owner. */
const firing: Record<string, { asRole?: string; asAdmin?: string }[]> = {
  contacts: [
    { asRole: `select set_config('app.workspace_id', '${workspace}', false)` },
    {
      asRole: `insert into contacts.contacts (workspace_id, id, email, normalized_email) values ('${workspace}', '${contact}', 'a@example.com', 'a@example.com')`,
    },
    {
      asRole: `insert into contacts.tags (workspace_id, id, name) values ('${workspace}', '${tag}', 'one')`,
    },
    {
      asRole: `insert into contacts.contact_tags (workspace_id, contact_id, tag_id, position) values ('${workspace}', '${contact}', '${tag}', 1)`,
    },
    { asRole: `update contacts.contact_tags set position = 2 where contact_id = '${contact}'` },
    {
      asRole: `insert into contacts.audiences (workspace_id, id, name, slug, purpose) values ('${workspace}', '${audience}', 'A', 'a', 'news')`,
    },
    {
      asRole: `insert into contacts.memberships (workspace_id, audience_id, contact_id, is_active) values ('${workspace}', '${audience}', '${contact}', true)`,
    },
    { asRole: `update contacts.contacts set first_name = 'Ada' where id = '${contact}'` },
    { asRole: `delete from contacts.contacts where id = '${contact}'` },
  ],
  campaigns: [
    { asRole: `select set_config('app.workspace_id', '${workspace}', false)` },
    {
      asAdmin: `set session_replication_role = replica;
        insert into campaigns.campaign_runs (workspace_id, id, campaign_id, snapshot_id, content_version_id, sender_identity_id, state, scheduled_for, scheduled_by, correlation_id)
        values ('${workspace}', '${run}', '${run}', '${run}', '${run}', '${run}', 'failed', now(), 't', 't')`,
    },
    {
      asRole: `insert into campaigns.message_facts (workspace_id, origin_id, message_id, fact) values ('${workspace}', '${run}', '${randomUUID()}', 'delivered')`,
    },
  ],
}

describe('migrations', () => {
  test('take over objects that an earlier release created as a superuser, and need no superuser afterwards', async () => {
    for (const thing of await stage.query<Owned>(owned, [schemaNames()])) {
      if (thing.kind === 'schema') await stage.query(`alter schema ${thing.name} owner to postgres`)
      if (thing.kind === 'routine') await stage.query(`alter routine ${thing.name} owner to postgres`)
    }
    for (const { schema, name } of await stage.query<{ schema: string; name: string }>(
      `select schemaname as schema, tablename as name from pg_tables where schemaname = any($1)`,
      [schemaNames()],
    ))
      await stage.query(`alter table ${schema}.${name} owner to postgres`)
    const url = roleUrl(stage.adminUrl, migratorRole)
    await expect(migrate(url, all[0]!)).rejects.toThrow(/docs\/database-roles\.md/)
    await stage.query(rolesSql(all))
    await stage.query(ownersSql(all))
    expect(await ownedByOthers()).toEqual([])
    for (const target of all) expect(await migrate(url, target)).toEqual([])
  })
})

test('docs have exactly the statements that the migrator asks an administrator to run', () => {
  const blocks = [...read('docs/database-roles.md').matchAll(/^```sql\n([^]*?)\n```$/gm)].map(([, body]) => body)
  expect(blocks).toContain(rolesSql(all))
  expect(blocks).toContain(ownersSql(all))
})
