import { Fault } from '@lettergate/fault'
import { isNamedSecret } from '@lettergate/service/named-secrets'

/** The name of an environment variable that may hold something of the mail provider's. Never its value. */
export type CredentialKey = string & { readonly brand: 'CredentialKey' }

/** Refuses a key that this organization may not name, in the same words whether it is another's, or nobody's, or not there. */
export function requireNamable(key: string, field: string, mayName: (key: string) => boolean): void {
  if (mayName(key)) return
  throw new Fault(
    'invalid_argument',
    field,
    `${field} names an environment key that this organization may not use. Name one that it was given, or ask the people who run the platform for one.`,
  )
}

/** Answers the name, or refuses it naming the field. Says nothing about whether such a variable exists. */
export function parseCredentialKey(name: string, field: string): CredentialKey {
  if (isNamedSecret(name)) return name as CredentialKey
  throw new Fault(
    'invalid_argument',
    field,
    `${field} must be the name of an environment key that begins with MAILPROVIDER_ or MAILGUN_, in capital letters, digits and underscores.`,
  )
}
