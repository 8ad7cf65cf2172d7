import type { ServiceSchema } from '@lettergate/database/migrate'
import { migratorRole, ownerOf, ownersSql, rolesSql } from '@lettergate/database/roles'
import { services } from '@lettergate/guard/tree'

/** The schema of every service. */
const schemas = async (): Promise<ServiceSchema[]> =>
  Promise.all(
    services.map(async (service) => {
      const url = new URL(`../../services/${service}/src/db/migrations.ts`, import.meta.url)
      return ((await import(url.href)) as { schema: ServiceSchema }).schema
    }),
  )

/** The files of charts/lettergate-database, made from the schemas of the services. */
export async function databaseFiles(): Promise<Record<string, string>> {
  const all = await schemas()
  const roles = {
    services: all.map(({ role }) => role),
    owners: all.map(({ schema }) => ownerOf(schema)),
    migrator: migratorRole,
  }
  return {
    'roles.sql': `${rolesSql(all)}\n`,
    'owners.sql': `${ownersSql(all)}\n`,
    'roles.yaml': `${JSON.stringify(roles, null, 2)}\n`,
  }
}
