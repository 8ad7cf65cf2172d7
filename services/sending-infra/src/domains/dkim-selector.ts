import { Fault } from '@lettergate/fault'

const label = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/

/** A DKIM selector (RFC 6376 section 3.1) in lower case: labels separated by dots. The name of its record must fit into the DNS. */
export function parseDkimSelector(text: string, domainName: string): string {
  const selector = text.trim().toLowerCase()
  const isName = selector.length <= 253 && selector.split('.').every((part) => label.test(part))
  if (!isName || `${selector}._domainkey.${domainName}`.length > 253) {
    throw new Fault(
      'invalid_argument',
      'dkim_selector',
      'dkim_selector must be the part before ._domainkey in the name of the DKIM record, such as k1.',
    )
  }
  return selector
}
