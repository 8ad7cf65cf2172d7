import type { Variables } from './config.ts'

/** Whether a tenant may name this environment key: the outside provider's own and nothing else, `DATABASE_URL` least of all. */
export const isNamedSecret = (name: string): boolean => /^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$/.test(name)

/**
 * The secrets that rows refer to by the name of their environment key. Reads the environment once; a service's own
 * settings are not among them, so whatever name a tenant chooses reaches nothing else.
 */
export function namedSecrets(env: NodeJS.ProcessEnv, variables: Variables): (name: string) => string | undefined {
  const own = new Set(Object.values(variables).map((variable) => variable.name))
  const secrets = new Map(
    Object.entries(env).filter(
      ([name, value]) => value !== undefined && value !== '' && isNamedSecret(name) && !own.has(name),
    ),
  )
  return (name) => secrets.get(name)
}
