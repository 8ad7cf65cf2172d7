import { Fault } from '@lettergate/fault'
import { isIP } from 'node:net'

const lengthMax = 500

/** Names that are never public (RFC 6761, 6762, 8375, 9476 and ICANN's .internal). */
const ownNames = /(^|\.)(localhost|local|internal|localdomain|home\.arpa|lan|corp|home|alt)$/

/**
 * Parses the URL of a webhook: https on port 443 to a public host name, without credentials. The addresses of the name are
 * checked for every connection. `allowPrivate` allows http, other ports, IP addresses and private names. The Fault
 * `invalid_argument` names the field.
 */
export function parseWebhookUrl(text: string, allowPrivate: boolean, field = 'url'): URL {
  const refuse = (why: string) => new Fault('invalid_argument', field, `${field} ${why}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || text.length > lengthMax || /\s/.test(text))
    throw refuse(`must be a URL of at most ${lengthMax} characters.`)
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:'))
    throw refuse('must begin with https://.')
  if (url.username !== '' || url.password !== '') throw refuse('must not carry a user name or password.')
  if (url.hash !== '') throw refuse('must not carry a fragment.')
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (host === '') throw refuse('must name a host.')
  if (allowPrivate) return url
  if (url.port !== '') throw refuse('must not name another port than 443.')
  if (isIP(host) !== 0) throw refuse('must name a host, not an address.')
  if (ownNames.test(host) || !host.includes('.'))
    throw refuse('must name a host of the public internet, not a private or local one.')
  return url
}
