import { createHmac } from 'node:crypto'
import pg from 'pg'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole, ownersSql, rolesSql } from '@lettergate/database/roles'

/** The URL of a service: its login role on the administrator's server, in the given database. */
export function roleUrl(adminUrl: string, role: string, database?: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = rolePassword(adminUrl, role)
  if (database) url.pathname = `/${database}`
  return url.toString()
}

// Derived from the administrator's URL, so that stacks on one server use the same passwords, and others cannot know them.
function rolePassword(adminUrl: string, role: string): string {
  const { username, password, host } = new URL(adminUrl)
  return createHmac('sha256', `${username}:${password}@${host}`).update(role).digest('base64url')
}

/** Makes the missing roles: services, owners of schemas and the migrator, with derived passwords. */
export async function ensureRoles(adminUrl: string, schemas: readonly ServiceSchema[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query("select pg_advisory_xact_lock(hashtext('lettergate roles'))")
    await client.query(rolesSql(schemas))
    for (const role of [migratorRole, ...schemas.map((schema) => schema.role)]) {
      const password = pg.escapeLiteral(rolePassword(adminUrl, role))
      await client.query(`alter role ${pg.escapeIdentifier(role)} password ${password}`)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}

/** Gives every schema of one database to its owner role, after the roles exist. */
export async function ensureOwners(adminUrl: string, schemas: readonly ServiceSchema[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(ownersSql(schemas))
  } finally {
    await client.end()
  }
}
