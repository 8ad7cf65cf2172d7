import { Fault } from '@lettergate/fault'

/** The name of an environment variable that may hold something of the mail provider's. Never its value. */
export type CredentialKey = string & { readonly brand: 'CredentialKey' }

/** Whether a tenant may name this environment variable: the mail provider's own and nothing else, `DATABASE_URL` least of all. */
export const isCredentialKey = (name: string): name is CredentialKey =>
  /^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$/.test(name)

/** Answers the name, or refuses it naming the field. Says nothing about whether such a variable exists. */
export function parseCredentialKey(name: string, field: string): CredentialKey {
  if (isCredentialKey(name)) return name
  throw new Fault(
    'invalid_argument',
    field,
    `${field} must be the name of an environment key that begins with MAILPROVIDER_ or MAILGUN_, in capital letters, digits and underscores.`,
  )
}
