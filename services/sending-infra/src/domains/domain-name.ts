import { isIP } from 'node:net'
import { domainToASCII, domainToUnicode } from 'node:url'
import { Fault } from '@lettergate/fault'
import { getDomain } from 'tldts'

/** A registrable host name in canonical form: lower case, punycode, no trailing dot. */
export type DomainName = string & { readonly brand: 'DomainName' }

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
// Allowed characters: letters and digits of any script, marks, joiners, hyphens, and the dots of UTS 46.
const typed = /^[\p{L}\p{N}\p{M}\p{Join_Control}\u00b7\u30fb.\-\u3002\uff0e\uff61]+$/u

/** The canonical form of a host name, or undefined if the text is not one. Accepts IDN, upper case and one trailing dot. */
export function normalizeHost(text: string): string | undefined {
  const name = text.trim().replace(/[.\u3002\uff0e\uff61]$/, '')
  if (name.length > 1_000 || !typed.test(name)) return undefined
  const ascii = domainToASCII(name)
  if (ascii === '' || ascii.length > 253 || isIP(ascii) !== 0) return undefined
  // domainToUnicode leaves invalid punycode unchanged
  if (/(?:^|\.)xn--/.test(domainToUnicode(ascii))) return undefined
  return ascii.split('.').every((part) => label.test(part)) ? ascii : undefined
}

/**
 * Answers the name that mail can be sent from, or throws a Fault with the field. Public suffixes such as `co.uk` and single
 * labels are refused. Names under an unlisted top-level domain are accepted.
 */
export function parseDomainName(text: string, field: string): DomainName {
  const name = normalizeHost(text)
  if (name === undefined)
    throw new Fault('invalid_argument', field, `${field} must be a domain name, such as mail.example.com.`)
  if (getDomain(name, { allowPrivateDomains: true }) === null) {
    throw new Fault(
      'invalid_argument',
      field,
      `${field} must be a domain of your own: a public suffix or a single label is not one.`,
    )
  }
  return name as DomainName
}
