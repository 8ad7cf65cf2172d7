import { Fault } from '@lettergate/fault'
import { requiredText } from '@lettergate/values/text'

declare const origin: unique symbol
/** Scheme, host and port in canonical form: lower case, IDN in punycode, no default port. */
export type Origin = string & { readonly [origin]: true }

export const originsMax = 100
const charsMax = 500
/** Only a scheme and an authority, without ambiguous characters. */
// eslint-disable-next-line no-control-regex
const shape = /^https?:\/\/[^\u0000-\u0020\u007f/\\?#@%]+$/i
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/
const ipv6 = /^\[[0-9a-f:.]+\]$/

const isHost = (host: string): boolean =>
  ipv6.test(host) || (host.length <= 253 && host.split('.').every((part) => label.test(part)))

/** The canonical form, as in `location.origin` of a browser, or undefined if the text is not an origin. */
export function originOf(text: string): Origin | undefined {
  if (text.length > charsMax || !shape.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return isHost(url.hostname) ? (url.origin as Origin) : undefined
}

/** The complete list of a source, each once, in the order given. Throws Fault `invalid_argument` naming the entry. */
export function parseOrigins(given: readonly string[]): Origin[] {
  const field = 'allowed_origins'
  if (given.length === 0) {
    throw new Fault('invalid_argument', field, `${field} must name at least one origin, such as https://example.com.`)
  }
  if (given.length > originsMax) {
    throw new Fault('invalid_argument', field, `${field} has more than ${originsMax} entries. Use several sources.`)
  }
  const origins = given.map((text, index) => {
    const found = originOf(requiredText(`${field}[${index}]`, text, charsMax))
    if (found !== undefined) return found
    throw new Fault(
      'invalid_argument',
      `${field}[${index}]`,
      `${field}[${index}] must be an http or https origin such as https://example.com, without path, query or trailing slash.`,
    )
  })
  return [...new Set(origins)]
}
