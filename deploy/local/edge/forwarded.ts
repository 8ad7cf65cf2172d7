import { valueOf, type Header, type RequestHead, type ResponseHead } from './head.ts'

/** Headers that belong to one connection and not to the message (RFC 9110, 7.6.1). The framing is passed on as it is. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
])

/** A caller may not have these dropped by naming them in Connection. */
const framing = new Set(['host', 'content-length', 'transfer-encoding'])

const lines = (headers: readonly Header[]) => headers.map(({ name, value }) => `${name}: ${value}\r\n`).join('')

/** The head of a request as it goes on, with the caller's address at the end of X-Forwarded-For. */
export function forwardedRequest({ method, path, version, headers, host }: RequestHead, peer: string): string {
  const named =
    valueOf(headers, 'connection')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  const kept = headers.filter(
    ({ key }) =>
      !hopByHop.has(key) &&
      !key.startsWith('x-forwarded-') &&
      key !== 'x-real-ip' &&
      (framing.has(key) || !named.includes(key)),
  )
  const before = valueOf(headers, 'x-forwarded-for')
  const client = before === undefined ? peer : `${before}, ${peer}`
  return `${method} ${path} HTTP/${version}\r\n${lines(kept)}X-Forwarded-For: ${client}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${host}\r\n\r\n`
}

/** The head of an answer as it goes back. */
export function forwardedResponse({ statusLine, headers }: ResponseHead, isLast: boolean): string {
  const kept = headers.filter(({ key }) => !hopByHop.has(key))
  return `${statusLine}\r\n${lines(kept)}${isLast ? 'Connection: close\r\n' : ''}\r\n`
}
