import { domainToASCII, domainToUnicode } from 'node:url'
import { Fault } from '@lettergate/fault'

declare const normalized: unique symbol
/** Trimmed, lowercased, domain in punycode: what makes two spellings the same person. */
export type NormalizedEmail = string & { readonly [normalized]: true }

export interface EmailAddress {
  /** as the caller wrote it, trimmed */
  readonly email: string
  readonly normalizedEmail: NormalizedEmail
}

const addressCharsMax = 320
const localBytesMax = 64
const normalizedCharsMax = 254
// Both cases, not the flag: lower case makes ASCII letters of some that are none, such as the Kelvin sign.
const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// eslint-disable-next-line no-control-regex
const neverInHost = /[\u0000-\u0020\u007f%/\\?#:@[\]<>^|"]/

const refuse = (why: string) =>
  new Fault(
    'invalid_argument',
    'email',
    `email is not a deliverable address: ${why}. Send one address like name@example.com.`,
  )

/** The ASCII form of a host name with at least two labels, or undefined. Percent escapes, ports and IP addresses are refused. */
function hostname(domain: string): string | undefined {
  if (domain === '' || neverInHost.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  if (ascii.length > 253 || labels.length < 2 || !labels.every((part) => label.test(part))) return undefined
  if (/^\d+$/.test(labels.at(-1)!)) return undefined
  if (!ascii.includes('xn--')) return ascii
  // Node leaves broken punycode as it is: only what can be read, and written the same again, names a host.
  const readable = domainToUnicode(ascii)
  return !readable.includes('xn--') && domainToASCII(readable) === ascii ? ascii : undefined
}

/**
 * Reads one address. Nothing provider-specific is folded: `a.b@gmail.com` is not `ab@gmail.com`.
 * Throws Fault `invalid_argument` with reason `email`.
 */
export function parseEmail(text: string): EmailAddress {
  if (text.length > addressCharsMax) throw refuse(`it is longer than ${addressCharsMax} characters`)
  const email = text.trim()
  const at = email.lastIndexOf('@')
  if (at < 1) throw refuse('it needs a name, an @ and a domain')
  const local = email.slice(0, at)
  if (local.length > localBytesMax || !localPart.test(local)) throw refuse('the part before the @ is not valid')
  const host = hostname(email.slice(at + 1))
  if (host === undefined) throw refuse('the part after the @ is not a domain name')
  const normalizedEmail = `${local.toLowerCase()}@${host}`
  if (normalizedEmail.length > normalizedCharsMax) throw refuse(`it is longer than ${normalizedCharsMax} characters`)
  return { email, normalizedEmail: normalizedEmail as NormalizedEmail }
}

/** What a mail provider is given: the name as the person wrote it, the domain in punycode. */
export const deliverableAddress = (email: string, normalizedEmail: string): string =>
  email.slice(0, email.lastIndexOf('@')) + normalizedEmail.slice(normalizedEmail.lastIndexOf('@'))

/** Enough for its owner to recognise, not enough for anybody else to write to. */
export const maskedEmail = (email: string): string => {
  const at = email.lastIndexOf('@')
  return `${email[0]}***${email.slice(at)}`
}
