import { createHmac } from 'node:crypto'
import pg from 'pg'

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

/** Makes the login roles of services that are not there yet. They own nothing and may do nothing until a migration grants it. */
export async function ensureRoles(adminUrl: string, roles: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query("select pg_advisory_xact_lock(hashtext('lettergate roles'))")
    for (const role of roles) {
      const found = await client.query('select 1 from pg_roles where rolname = $1', [role])
      const name = pg.escapeIdentifier(role)
      const password = pg.escapeLiteral(rolePassword(adminUrl, role))
      await client.query(
        `${found.rowCount === 0 ? 'create' : 'alter'} role ${name} login nosuperuser nocreatedb nocreaterole nobypassrls password ${password}`,
      )
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
}
