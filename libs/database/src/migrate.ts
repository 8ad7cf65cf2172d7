import { MikroORM } from '@mikro-orm/postgresql'
import { Migrator, type Migration } from '@mikro-orm/migrations'
import pg from 'pg'
import { loadConfig } from './config.ts'
import { ownerOf } from './roles.ts'

/** A service's schema, the role that the service uses, and the migrations of the schema. */
export interface ServiceSchema {
  /** the owning service, if its name does not begin with the schema's name */
  service?: string
  schema: string
  role: string
  /** rights on tables that the role does not get; functions of the owner do this work */
  withheld?: Record<string, readonly ('insert' | 'update' | 'delete')[]>
  migrations: readonly { name: string; class: new (...args: never[]) => Migration }[]
}

/**
 * Migrates one schema as its owner role. The migrating role must be a member of the owner role. An advisory lock makes replicas
 * wait for each other. Then it grants the service's role the rights on its own schema and no others. Safe to repeat.
 */
export async function migrate(migrationUrl: string, target: ServiceSchema, lockTimeoutMs = 60_000): Promise<string[]> {
  const { schema } = target
  const client = new pg.Client({ connectionString: migrationUrl, application_name: `migrate ${schema}` })
  await client.connect()
  try {
    await becomeOwner(client, schema)
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    await client.query('select pg_advisory_lock(hashtext($1))', [`lettergate migrate ${schema}`])
    const orm = new MikroORM({
      clientUrl: migrationUrl,
      schema,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      // pg_temp is last, so that a temporary object never hides an object of the schema.
      driverOptions: { options: `-c role=${ownerOf(schema)} -c search_path=${schema},pg_temp` },
      pool: { min: 0, max: 2 },
      migrations: {
        schema,
        migrationsList: target.migrations.map((migration) => ({
          name: migration.name,
          class: migration.class as new (...args: unknown[]) => Migration,
        })),
        snapshot: false,
        silent: true,
      } as never,
    })
    try {
      const done = await orm.migrator.up()
      await planForAnyWorkspace(client, schema)
      await grantRights(client, target)
      return done.map((migration) => migration.name)
    } finally {
      await orm.close(true)
    }
  } finally {
    await client.end()
  }
}

async function becomeOwner(client: pg.Client, schema: string) {
  const owner = ownerOf(schema)
  const found = await client.query<{ migrator: string; owner: string | null; isMember: boolean | null }>(
    `select current_user as migrator, (select nspowner::regrole::text from pg_namespace where nspname = $1) as owner,
            (select pg_has_role(oid, 'member') from pg_roles where rolname = $2) as "isMember"`,
    [schema, owner],
  )
  const [now] = found.rows
  if (now!.owner !== owner || !now!.isMember) {
    throw new Error(
      `The schema ${schema} must belong to the role ${owner}, and ${now!.migrator} must be a member of it. An administrator sets this up once: see docs/database-roles.md.`,
    )
  }
  await client.query(`set role ${owner}`)
}

/**
 * Turns off the statistics of the column `workspace_id` in every table. They list the workspaces that had rows at the last
 * `analyze`, and of every other workspace the planner expects one row. Then each index that begins with the workspace looks as
 * good as the one with the key, and a lookup by id or by address reads all rows of a new workspace. Without the list the planner
 * expects the same share of the table for each workspace.
 */
async function planForAnyWorkspace(client: pg.Client, schema: string) {
  const listed = await client.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relkind in ('r', 'p') and a.attname = 'workspace_id' and a.attstattarget is distinct from 0`,
    [schema],
  )
  for (const { name } of listed.rows)
    await client.query(`alter table ${name} alter column workspace_id set statistics 0`)
}

/** Grants all rights on rows except the withheld ones, in one transaction, so that the role never has more rights. */
async function grantRights(client: pg.Client, { schema, role, withheld = {} }: ServiceSchema) {
  await client.query('begin')
  await client.query(`grant usage on schema ${schema} to ${role}`)
  await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
  await client.query(`grant usage on all sequences in schema ${schema} to ${role}`)
  await client.query(`revoke all on all routines in schema ${schema} from public`)
  await client.query(`grant execute on all routines in schema ${schema} to ${role}`)
  await client.query(`revoke all on ${schema}.mikro_orm_migrations from ${role}`)
  for (const { name } of await appendOnlyTables(client, schema))
    await client.query(`revoke update, delete, truncate on ${schema}.${name} from ${role}`)
  for (const [table, rights] of Object.entries(withheld)) {
    const there = await client.query('select to_regclass($1) is not null as yes', [`${schema}.${table}`])
    if (there.rows[0].yes) await client.query(`revoke ${rights.join(', ')} on ${schema}.${table} from ${role}`)
  }
  await client.query('commit')
}

/** The append-only tables. Their trigger refuses changes, and the grants refuse them before that. */
async function appendOnlyTables(client: pg.Client, schema: string): Promise<{ name: string }[]> {
  const found = await client.query<{ name: string }>(
    `select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and t.tgname = c.relname || '_append_only'`,
    [schema],
  )
  return found.rows
}

/** The process of an init container: migrates and exits. */
export async function migrateMain(target: ServiceSchema): Promise<void> {
  const config = loadConfig()
  const done = await migrate(config.migrationUrl, target, config.lockTimeoutMs)
  process.stdout.write(`${target.schema}: ${done.length === 0 ? 'up to date' : done.join(', ')}\n`)
}
