import type { Variables } from './config.ts'

/** Whether a tenant may name this environment key: only the keys of the mail provider, never `DATABASE_URL`. */
export const isNamedSecret = (name: string): boolean => /^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$/.test(name)

/** Settings of the provider that are not secret: their values are known, so a signature with one of them proves nothing. */
const settings: ReadonlySet<string> = new Set([
  'MAILPROVIDER_US_BASE_URL',
  'MAILPROVIDER_EU_BASE_URL',
  'MAILPROVIDER_TIMEOUT_MS',
])

/**
 * The secrets that rows name by their environment key. Reads the environment once. The settings of this service, and those of
 * other services in a shared environment, are not among them, so a tenant can reach only secrets of the provider.
 */
export function namedSecrets(env: NodeJS.ProcessEnv, variables: Variables): (name: string) => string | undefined {
  const own = new Set(Object.values(variables).map((variable) => variable.name))
  const secrets = new Map(
    Object.entries(env).filter(
      ([name, value]) =>
        value !== undefined && value !== '' && isNamedSecret(name) && !own.has(name) && !settings.has(name),
    ),
  )
  return (name) => secrets.get(name)
}
