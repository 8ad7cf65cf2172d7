import { domainToASCII, domainToUnicode } from 'node:url'
import { Fault } from '@lettergate/fault'

export interface EmailAddress {
  /** the given address, trimmed */
  readonly text: string
  /** the part before the @, unchanged: only its own server knows whether case matters */
  readonly local: string
  /** the part after the @, in lower case and punycode */
  readonly domain: string
}

/** Room for an address of RFC 5321 whose domain is longer than its punycode, and for surrounding spaces. */
const givenCharsMax = 320
/** RFC 5321, 4.5.3.1.1 */
const localCharsMax = 64
/** RFC 5321, 4.5.3.1.3: a path of 256 octets without its brackets */
const addressCharsMax = 254
// dot-atom of RFC 5322. No `i` flag: with it some characters outside ASCII would match, such as the Kelvin sign.
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// eslint-disable-next-line no-control-regex
const neverInHost = /[\u0000-\u0020\u007f%/\\?#:@[\]<>^|"]/

/**
 * Host names that are their own ASCII form, almost all of them: converting a name takes longer than the rest of an address. The last
 * label begins with a letter, because a number there makes an IP address of it.
 */
const plainHost = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** The ASCII form of a host name with at least two labels, or undefined. Percent escapes, ports and IP addresses are refused. */
function hostOf(domain: string): string | undefined {
  if (domain.length <= 253 && plainHost.test(domain) && !domain.includes('xn--')) return domain
  if (domain === '' || neverInHost.test(domain)) return undefined
  const ascii = domainToASCII(domain)
  const labels = ascii.split('.')
  if (ascii.length > 253 || labels.length < 2 || !labels.every((part) => label.test(part))) return undefined
  if (/^\d+$/.test(labels.at(-1)!)) return undefined
  if (!ascii.includes('xn--')) return ascii
  // Node.js keeps invalid punycode unchanged: accept only a host that decodes and encodes to the same text.
  const readable = domainToUnicode(ascii)
  return !readable.includes('xn--') && domainToASCII(readable) === ascii ? ascii : undefined
}

/** The parsed address, or the problem as a text: for many addresses, of which some are wrong. */
export function readEmailAddress(given: string): EmailAddress | string {
  if (given.length > givenCharsMax) return `it is longer than ${givenCharsMax} characters`
  const text = given.trim()
  const at = text.lastIndexOf('@')
  if (at < 1) return 'it needs a name, an @ and a domain'
  const local = text.slice(0, at)
  if (local.length > localCharsMax || !dotAtom.test(local)) return 'the part before the @ is not valid'
  const domain = hostOf(text.slice(at + 1))
  if (domain === undefined) return 'the part after the @ is not a domain name'
  if (at + 1 + domain.length > addressCharsMax) return `it is longer than ${addressCharsMax} characters`
  return { text, local, domain }
}

/** Whether parseEmailAddress accepts a text. */
export const isEmailAddress = (text: string): boolean => typeof readEmailAddress(text) !== 'string'

/**
 * An address that mail servers accept: an unquoted ASCII name of at most 64 characters, a domain name of any script, 254
 * characters in total with the domain in punycode. Surrounding spaces are removed. Throws Fault `invalid_argument` with the field.
 */
export function parseEmailAddress(field: string, given: string): EmailAddress {
  const found = readEmailAddress(given)
  if (typeof found !== 'string') return found
  throw new Fault(
    'invalid_argument',
    field,
    `${field} is not a deliverable address: ${found}. Send one address like name@example.com.`,
  )
}
