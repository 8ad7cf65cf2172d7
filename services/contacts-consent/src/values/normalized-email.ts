import { parseEmailAddress } from '@lettergate/values/email-address'

declare const normalized: unique symbol
/** An address in lower case, trimmed, with its domain in punycode. Two spellings with the same form belong to one person. */
export type NormalizedEmail = string & { readonly [normalized]: true }

export interface ContactEmail {
  /** as the caller wrote it, trimmed */
  readonly email: string
  readonly normalizedEmail: NormalizedEmail
}

/**
 * Parses the address of a person. It applies no rules of providers: `a.b@gmail.com` is not `ab@gmail.com`.
 * Throws Fault `invalid_argument` with reason `email`.
 */
export function parseEmail(given: string): ContactEmail {
  const { text, local, domain } = parseEmailAddress('email', given)
  return { email: text, normalizedEmail: `${local.toLowerCase()}@${domain}` as NormalizedEmail }
}

/** The address for the mail provider: the local part as given, the domain in punycode. */
export const deliverableAddress = (email: string, normalizedEmail: string): string =>
  email.slice(0, email.lastIndexOf('@')) + normalizedEmail.slice(normalizedEmail.lastIndexOf('@'))

/** The first character and the domain. The owner recognises the address, and no other person can write to it. */
export const maskedEmail = (email: string): string => {
  const at = email.lastIndexOf('@')
  return `${email[0]}***${email.slice(at)}`
}
