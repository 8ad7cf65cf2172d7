import { MikroORM } from '@mikro-orm/postgresql'
import { Migrator, type Migration } from '@mikro-orm/migrations'
import pg from 'pg'
import { loadConfig } from './config.ts'

/** A service's schema, the role it logs in as, and how the schema came to be. */
export interface ServiceSchema {
  /** the deployable that owns it, when its name does not begin with the schema's */
  service?: string
  schema: string
  role: string
  migrations: readonly { name: string; class: new (...args: never[]) => Migration }[]
}

/**
 * Brings one schema up to date as the migrating role, under an advisory lock so that replicas wait for each other,
 * then grants the service's role what it needs on its own schema and nothing else. Safe to repeat.
 */
export async function migrate(adminUrl: string, target: ServiceSchema, lockTimeoutMs = 60_000): Promise<string[]> {
  const { schema, role } = target
  const client = new pg.Client({ connectionString: adminUrl, application_name: `migrate ${schema}` })
  await client.connect()
  try {
    await client.query(`set lock_timeout = ${lockTimeoutMs}`)
    await client.query('select pg_advisory_lock(hashtext($1))', [`lettergate migrate ${schema}`])
    await client.query(`create schema if not exists ${schema}`)
    const orm = new MikroORM({
      clientUrl: adminUrl,
      schema,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      driverOptions: { options: `-c search_path=${schema}` },
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
      await client.query(`grant usage on schema ${schema} to ${role}`)
      await client.query(`grant select, insert, update, delete on all tables in schema ${schema} to ${role}`)
      await client.query(`grant usage on all sequences in schema ${schema} to ${role}`)
      await client.query(`revoke all on ${schema}.mikro_orm_migrations from ${role}`)
      for (const { name } of await appendOnlyTables(client, schema))
        await client.query(`revoke update, delete, truncate on ${schema}.${name} from ${role}`)
      return done.map((migration) => migration.name)
    } finally {
      await orm.close(true)
    }
  } finally {
    await client.end()
  }
}

/** The tables that a migration made append-only: their trigger refuses changes, and the grants do so first. */
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
