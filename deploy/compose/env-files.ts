import { migratorRole } from '@lettergate/database/roles'
import { newPassword, type InstallationKeys } from '@lettergate/kind/new-keys'
import { schemas } from '@lettergate/single/schemas'

/** The name of a file in `secrets` → the variables in it. */
export type EnvFiles = Readonly<Record<string, Readonly<Record<string, string>>>>

const inCapitals = (name: string) => name.toUpperCase().replaceAll('-', '_')

/** The files with the secrets of `compose.yaml`, by the containers that get them, so that none has the secrets of another. */
export function envFiles({ ofProcess, provider, databasePasswords, natsPublicKeys }: InstallationKeys): EnvFiles {
  const urlOf = (role: string) => `postgresql://${role}:${databasePasswords[role]}@database:5432/lettergate`
  const { 'nats-streams': ofStreams = {}, ...ofServices } = ofProcess
  const single = Object.entries(ofServices).flatMap(([service, keys]) =>
    Object.entries({ DATABASE_URL: urlOf(schemas[service]!.role), ...keys }).map(
      ([name, value]) => [`${inCapitals(service)}__${name}`, value] as const,
    ),
  )
  const passwords = Object.entries(databasePasswords).map(
    ([role, password]) => [`${inCapitals(role)}_PASSWORD`, password] as const,
  )
  return {
    'database.env': { POSTGRES_PASSWORD: newPassword(), ...Object.fromEntries(passwords) },
    'nats.env': natsPublicKeys,
    'nats-streams.env': ofStreams,
    'migrate.env': { MIGRATION_DATABASE_URL: urlOf(migratorRole) },
    'single.env': { ...Object.fromEntries(single), ...provider },
    'identity.env': { DATABASE_URL: urlOf(schemas['gateway']!.role) },
  }
}

/** The text of one file. In single quotes docker compose replaces nothing, so a value must not contain one. */
export const envFileText = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => {
      if (/['\r\n]/.test(value)) throw new Error(`${name} must not contain a quote or a line break`)
      return `${name}='${value}'\n`
    })
    .join('')
