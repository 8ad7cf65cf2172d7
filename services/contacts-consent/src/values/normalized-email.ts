import { parseEmailAddress } from '@lettergate/values/email-address'

declare const normalized: unique symbol
/** Trimmed, lowercased, domain in punycode: what makes two spellings the same person. */
export type NormalizedEmail = string & { readonly [normalized]: true }

export interface ContactEmail {
  /** as the caller wrote it, trimmed */
  readonly email: string
  readonly normalizedEmail: NormalizedEmail
}

/**
 * Reads the address of a person. Nothing provider-specific is folded: `a.b@gmail.com` is not `ab@gmail.com`.
 * Throws Fault `invalid_argument` with reason `email`.
 */
export function parseEmail(given: string): ContactEmail {
  const { text, local, domain } = parseEmailAddress('email', given)
  return { email: text, normalizedEmail: `${local.toLowerCase()}@${domain}` as NormalizedEmail }
}

/** What a mail provider is given: the name as the person wrote it, the domain in punycode. */
export const deliverableAddress = (email: string, normalizedEmail: string): string =>
  email.slice(0, email.lastIndexOf('@')) + normalizedEmail.slice(normalizedEmail.lastIndexOf('@'))

/** Enough for its owner to recognise, not enough for anybody else to write to. */
export const maskedEmail = (email: string): string => {
  const at = email.lastIndexOf('@')
  return `${email[0]}***${email.slice(at)}`
}
