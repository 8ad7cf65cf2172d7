import { createHmac } from 'node:crypto'
import pg from 'pg'
import type { ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole, ownersSql, rolesSql } from '@lettergate/database/roles'

/** A service's URL: its own login role on the administrator's server and the given database. */
export function roleUrl(adminUrl: string, role: string, database?: string): string {
  const url = new URL(adminUrl)
  url.username = role
  url.password = rolePassword(adminUrl, role)
  if (database) url.pathname = `/${database}`
  return url.toString()
}

// Derived, so that stacks which share a server agree, and unknown to who does not know the administrator's URL.
function rolePassword(adminUrl: string, role: string): string {
  const { username, password, host } = new URL(adminUrl)
  return createHmac('sha256', `${username}:${password}@${host}`).update(role).digest('base64url')
}

/** Makes the roles that are not there yet: services, owners of schemas and the migrator, with derived passwords. */
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

/** Gives every schema of one database to its owner role, once the roles are there. */
export async function ensureOwners(adminUrl: string, schemas: readonly ServiceSchema[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query(ownersSql(schemas))
  } finally {
    await client.end()
  }
}
