import { Fault } from '@lettergate/fault'
import { isNamedSecret } from '@lettergate/service/named-secrets'

/** The name of an environment variable for a secret of the mail provider. Never its value. */
export type CredentialKey = string & { readonly brand: 'CredentialKey' }

/** Refuses a key that this organization may not use. The message is the same for another organization's key and an unknown key. */
export function requireAllowedKey(key: string, field: string, isAllowedKey: (key: string) => boolean): void {
  if (isAllowedKey(key)) return
  throw new Fault(
    'invalid_argument',
    field,
    `${field} names an environment key that this organization may not use. Name a key of this organization, or ask the operators of the platform for one.`,
  )
}

/** Answers the name, or throws a Fault with the field. It does not show whether such a variable exists. */
export function parseCredentialKey(name: string, field: string): CredentialKey {
  if (isNamedSecret(name)) return name as CredentialKey
  throw new Fault(
    'invalid_argument',
    field,
    `${field} must be the name of an environment key that begins with MAILPROVIDER_ or MAILGUN_, in capital letters, digits and underscores.`,
  )
}
