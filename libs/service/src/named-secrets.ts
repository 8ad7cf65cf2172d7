import type { Variables } from './config.ts'

/** Whether a tenant may name this environment key: the outside provider's own and nothing else, `DATABASE_URL` least of all. */
export const isNamedSecret = (name: string): boolean => /^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$/.test(name)

/** What services are told about the provider that is no secret: whoever signs with one of these could be anybody. */
const settings: ReadonlySet<string> = new Set([
  'MAILPROVIDER_US_BASE_URL',
  'MAILPROVIDER_EU_BASE_URL',
  'MAILPROVIDER_TIMEOUT_MS',
])

/**
 * The secrets that rows refer to by the name of their environment key. Reads the environment once; a service's own
 * settings are not among them, nor are other services' in a shared environment, so whatever name a tenant chooses reaches nothing else.
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
