import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate, type ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole } from '@lettergate/database/roles'
import { ensureOwners, ensureRoles, roleUrl } from './roles.ts'

const withDatabase = (url: string, database: string) =>
  Object.assign(new URL(url), { pathname: `/${database}` }).toString()

async function asAdmin<T>(adminUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A fresh database with these schemas, cloned from a template that is migrated once for each run. Returns its administrator URL. */
export async function cloneDatabase(
  adminUrl: string,
  runId: string,
  schemas: readonly ServiceSchema[],
): Promise<string> {
  const fingerprint = schemas
    .map((schema) => `${schema.schema}:${schema.migrations.map((migration) => migration.name).join(',')}`)
    .sort()
  const template = `lg_test_${runId}_${createHash('sha256').update(fingerprint.join(';')).digest('hex').slice(0, 12)}`
  const database = `lg_test_${runId}_${randomUUID().slice(0, 13).replace('-', '')}`
  await asAdmin(adminUrl, async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [template])
    const found = await client.query('select datistemplate from pg_database where datname = $1', [template])
    if (found.rowCount !== 0 && !found.rows[0].datistemplate)
      await client.query(`drop database ${template} with (force)`)
    if (found.rowCount === 0 || !found.rows[0].datistemplate) {
      await ensureRoles(adminUrl, schemas)
      await client.query(`create database ${template}`)
      await ensureOwners(withDatabase(adminUrl, template), schemas)
      for (const schema of schemas) await migrate(roleUrl(adminUrl, migratorRole, template), schema)
      await client.query(`alter database ${template} is_template true`)
    }
    // Copying the files needs half the processor time of writing each page to the log, which is the default.
    await client.query(`create database ${database} template ${template} strategy file_copy`)
    // The rights on the database itself, which a clone does not get from its template, as in ownersSql.
    await client.query(`revoke create, temporary on database ${database} from public`)
  })
  return withDatabase(adminUrl, database)
}

const leavingMs = 60_000

/** Drops a clone; fails when a connection to it stays open, because that is a leak. */
export async function dropDatabase(adminUrl: string, database: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    const busy = async () =>
      (
        await client.query(
          `select application_name, state, left(query, 100) as query from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
          [database],
        )
      ).rows
    // An ended connection is listed until its backend has ended, which takes a moment on a busy machine.
    let left = await busy()
    for (const until = Date.now() + leavingMs; left.length > 0 && Date.now() < until; left = await busy())
      await sleep(20)
    await client.query(`drop database if exists ${database} with (force)`)
    if (left.length > 0) throw new Error(`connections were left open: ${JSON.stringify(left)}`)
  })
}

/** Drops everything that one run made, with its templates. */
export async function dropRun(adminUrl: string, runId: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    const found = await client.query('select datname, datistemplate from pg_database where datname like $1', [
      `lg\\_test\\_${runId}\\_%`,
    ])
    for (const { datname, datistemplate } of found.rows) {
      if (datistemplate) await client.query(`alter database ${datname} is_template false`)
      await client.query(`drop database if exists ${datname} with (force)`)
    }
  })
}
