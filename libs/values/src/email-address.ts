import { domainToASCII, domainToUnicode } from 'node:url'
import { Fault } from '@lettergate/fault'

export interface EmailAddress {
  /** as it was given, trimmed */
  readonly text: string
  /** before the @, as it was given: only its own server knows whether case matters */
  readonly local: string
  /** after the @, in its one spelling: lower case and punycode */
  readonly domain: string
}

/** Room for an address of RFC 5321 whose domain is spelled longer than its punycode, and for blanks around it. */
const givenCharsMax = 320
/** RFC 5321, 4.5.3.1.1 */
const localCharsMax = 64
/** RFC 5321, 4.5.3.1.3: a path of 256 octets without its brackets */
const addressCharsMax = 254
// dot-atom of RFC 5322. Both cases, not the flag: lower case makes ASCII letters of some that are none, such as the Kelvin sign.
const dotAtom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// eslint-disable-next-line no-control-regex
const neverInHost = /[\u0000-\u0020\u007f%/\\?#:@[\]<>^|"]/

/** The ASCII form of a host name with at least two labels, or undefined. Percent escapes, ports and IP addresses are refused. */
function hostOf(domain: string): string | undefined {
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

/** The address, or what is wrong with it. */
function read(given: string): EmailAddress | string {
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

/** Whether a text is one address that parseEmailAddress takes. */
export const isEmailAddress = (text: string): boolean => typeof read(text) !== 'string'

/**
 * One address that a mail server takes: an unquoted ASCII name of at most 64 characters, a domain name of any script, 254
 * characters in all with the domain in punycode. Blanks around it are dropped. Throws Fault `invalid_argument` naming the field.
 */
export function parseEmailAddress(field: string, given: string): EmailAddress {
  const found = read(given)
  if (typeof found !== 'string') return found
  throw new Fault(
    'invalid_argument',
    field,
    `${field} is not a deliverable address: ${found}. Send one address like name@example.com.`,
  )
}
