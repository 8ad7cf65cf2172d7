import { MikroORM, type EntitySchema } from '@mikro-orm/postgresql'
import { EntitySchema as EntitySchemaClass } from '@mikro-orm/core'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { columns } from '@lettergate/database'
import type { Entity } from '@lettergate/database/row'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { openStage, type Stage } from '@lettergate/stage'
import { read, root, services, sourcesOf, tablesOf } from './tree.ts'

const schemas = new Map<string, ServiceSchema>()

async function loadSchemas(): Promise<void> {
  for (const service of services) {
    const module = (await import(`${root}services/${service}/src/db/migrations.ts`)) as { schema: ServiceSchema }
    schemas.set(service, module.schema)
  }
}

/** The tables of libs/events, which plain statements write and read. They hold ids and facts in transit, not the data of a tenant. */
const eventTables = ['outbox', 'outbox_pending', 'outbox_published', 'inbox', 'dead_letters', 'relay_state']

/** The tables of libs. No row of `never_committed` can be stored. */
const libTables = [...eventTables, 'never_committed']

/** Tables without a tenant, each with the reason. */
const platformTables: Record<string, string> = {
  'identity.organizations': 'contains workspaces',
  'identity.workspaces': 'is the tenant itself',
  'identity.users': 'a person may belong to many workspaces',
  'identity.sessions': 'belongs to a user, not to a workspace',
  'identity.audit_log': 'also has records without a workspace; read by platform owners and administrators only',
  'identity.alert_notices': 'for the receiver of the platform',
  'identity.audit_seals': 'one chain over the log of the whole platform',
  'identity.unsealed_audit_entries': 'the ids of entries that wait for their seal',
  'identity.audit_log_checks': 'one check of the log of the whole platform',
  'identity.alerts': 'also has alerts without a workspace; read by platform owners and administrators only',
  'identity.platform_gates': 'one set for the whole platform',
  'identity.database_marker': 'names the database itself',
  'identity.gate_closings': 'belongs to a gate of the whole platform',
  'webhooks.consumed_tokens': 'a signature token belongs to a signing key, which workspaces may share',
  'contacts.platform_suppressions': 'applies to an address in every organization',
  'contacts.erasure_hash_keys': 'the keys of a process serve every workspace',
  'sending.domain_holders': 'stores the organization that owns a name',
}

interface Table {
  schema: string
  name: string
  secured: boolean
  forced: boolean
  policies: number
  has_workspace: boolean
  workspace_nullable: boolean
  owner: string
}

let stage: Stage
let tables: Table[]
let all: ServiceSchema[]

beforeAll(async () => {
  await loadSchemas()
  all = [...schemas.values()]
  stage = await openStage({ schemas: all })
  tables = await stage.query<Table>(
    `select n.nspname as schema, c.relname as name, c.relrowsecurity as secured, c.relforcerowsecurity as forced, pg_get_userbyid(c.relowner) as owner,
            (select count(*)::int from pg_policy p where p.polrelid = c.oid) as policies,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped) as has_workspace,
            exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attnotnull) as workspace_nullable
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any($1) and c.relkind in ('r', 'p') and c.relname <> 'mikro_orm_migrations' and not c.relispartition
      order by 1, 2`,
    [all.map((schema) => schema.schema)],
  )
})
afterAll(() => stage.close())

const ownTables = () => tables.filter((table) => !libTables.includes(table.name))

test('every service has tables, and the event tables', () => {
  for (const { schema } of all) {
    const names = tables.filter((table) => table.schema === schema).map((table) => table.name)
    expect({ schema, names: eventTables.filter((name) => !names.includes(name)) }).toEqual({ schema, names: [] })
  }
})

test('the database has exactly the tables that the migrations create', async () => {
  const found = await stage.query<{ name: string }>(
    `select schemaname || '.' || tablename as name from pg_tables where schemaname = any($1)`,
    [all.map(({ schema }) => schema)],
  )
  expect(found.map(({ name }) => name).toSorted()).toEqual(services.flatMap(tablesOf).toSorted())
})

test('every tenant table has a workspace_id and row-level security, which also applies to its owner', () => {
  const open = ownTables().filter(
    (table) =>
      platformTables[`${table.schema}.${table.name}`] === undefined &&
      !(table.has_workspace && !table.workspace_nullable && table.secured && table.forced && table.policies > 0),
  )
  expect(open.map((table) => `${table.schema}.${table.name}`)).toEqual([])
})

test('every table in the list of tables without a tenant exists', () => {
  const there = new Set(tables.map((table) => `${table.schema}.${table.name}`))
  expect(Object.keys(platformTables).filter((name) => !there.has(name))).toEqual([])
})

describe('a service role', () => {
  test('has no special attribute and owns nothing', async () => {
    const roles = all.map((schema) => schema.role)
    const special = await stage.query(
      `select rolname from pg_roles where rolname = any($1) and (rolsuper or rolbypassrls or rolcreatedb or rolcreaterole or rolreplication)`,
      [roles],
    )
    expect(special).toEqual([])
    expect(tables.filter((table) => roles.includes(table.owner))).toEqual([])
    for (const { role, schema } of all) {
      const [found] = await stage.query<{ can: boolean }>(`select has_schema_privilege($1, $2, 'create') as can`, [
        role,
        schema,
      ])
      expect({ role, createsIn: found!.can }).toEqual({ role, createsIn: false })
    }
  })

  test('has no right on the schema or any table of another service', async () => {
    for (const { role } of all) {
      const others = all.filter((other) => other.role !== role)
      const entered = await stage.query(
        `select s from unnest($2::text[]) s where has_schema_privilege($1, s, 'usage') or has_schema_privilege($1, s, 'create')`,
        [role, others.map((other) => other.schema)],
      )
      const touched = await stage.query(
        `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = any($2) and c.relkind in ('r', 'p', 'v', 'm', 'S') and has_table_privilege($1, c.oid, 'select, insert, update, delete, truncate, references, trigger')`,
        [role, others.map((other) => other.schema)],
      )
      expect({ role, entered, touched }).toEqual({ role, entered: [], touched: [] })
    }
  })

  test('cannot update or delete append-only rows', async () => {
    const records = await stage.query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = any($1) and t.tgname = c.relname || '_append_only'`,
      [all.map((schema) => schema.schema)],
    )
    expect(records.length).toBeGreaterThan(0)
    for (const { schema, name } of records) {
      const role = all.find((known) => known.schema === schema)!.role
      const [found] = await stage.query<{ can: boolean }>(
        `select has_table_privilege($1, $2, 'update, delete, truncate') as can`,
        [role, `${schema}.${name}`],
      )
      expect({ table: `${schema}.${name}`, changeable: found!.can }).toEqual({
        table: `${schema}.${name}`,
        changeable: false,
      })
    }
  })
})

/** Every entity that a file of the workspace defines. */
async function entitiesIn(workspace: string): Promise<EntitySchema[]> {
  const paths = sourcesOf(workspace).filter((path) => read(path).includes('defineEntity('))
  const modules = await Promise.all(paths.map((path) => import(`${root}${path}`) as Promise<Record<string, unknown>>))
  return [
    ...new Set(
      modules
        .flatMap((module) => Object.values(module))
        .filter((value): value is EntitySchema => value instanceof EntitySchemaClass),
    ),
  ]
}

const entitiesOf = (service: string) => entitiesIn(`services/${service}`)

test.each(services)('in %s every table has an entity, with exactly its columns', async (service) => {
  const { schema } = schemas.get(service)!
  const columns = await stage.query<{ table_name: string; column_name: string; nullable: boolean }>(
    `select table_name, column_name, is_nullable = 'YES' as nullable from information_schema.columns where table_schema = $1 and is_generated = 'NEVER' and table_name <> 'mikro_orm_migrations' and not (table_name = any($2))`,
    [schema, libTables],
  )
  const inDatabase = Map.groupBy(columns, (column) => column.table_name)
  const orm = new MikroORM({
    clientUrl: stage.adminUrl,
    schema,
    entities: await entitiesOf(service),
    discovery: { warnWhenNoEntities: false },
  })
  try {
    const inEntities = new Map(
      [...orm.getMetadata().getAll().values()].map((meta) => [
        meta.tableName,
        meta.props
          .filter((prop) => prop.persist !== false && prop.generated === undefined)
          .flatMap((prop) => (prop.fieldNames ?? []).map((name) => `${name}${prop.nullable ? '?' : ''}`)),
      ]),
    )
    const shown = (map: Map<string, string[]>) =>
      Object.fromEntries([...map].map(([name, list]) => [name, list.toSorted()]))
    const expected = new Map(
      [...inDatabase].map(([name, list]) => [
        name,
        list.map((column) => `${column.column_name}${column.nullable ? '?' : ''}`),
      ]),
    )
    expect(shown(inEntities)).toEqual(shown(expected))
  } finally {
    await orm.close(true)
  }
})

/** Columns whose type or nullability differs from the entity. */
async function contradictions(schema: string, entities: readonly EntitySchema[]): Promise<string[]> {
  const found = await stage.query<{ name: string; oid: number; nullable: boolean }>(
    `select c.relname || '.' || a.attname as name, a.atttypid::int as oid, not a.attnotnull as nullable
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and a.attnum > 0 and not a.attisdropped`,
    [schema],
  )
  const columnOf = new Map(found.map((column) => [column.name, column]))
  return entities.flatMap((entity) => {
    const table = entity as unknown as Entity
    return Object.entries(columns(table) as Record<string, { oids: readonly number[]; isNullable: boolean }>).flatMap(
      ([name, { oids, isNullable }]) => {
        const column = columnOf.get(`${table.tableName}.${name}`)
        const isRight = column && oids.includes(column.oid) && isNullable === column.nullable
        return isRight ? [] : [`${table.tableName}.${name} has the oid ${column?.oid}, nullable ${column?.nullable}`]
      },
    )
  })
}

test('the event tables have the columns of their entities, in every schema', async () => {
  const entities = await entitiesIn('libs/events')
  expect(entities.length).toBeGreaterThan(0)
  for (const { schema } of all) expect(await contradictions(schema, entities)).toEqual([])
})

test.each(services)('in %s every property of an entity has the type of its column', async (service) => {
  expect(await contradictions(schemas.get(service)!.schema, await entitiesOf(service))).toEqual([])
})
