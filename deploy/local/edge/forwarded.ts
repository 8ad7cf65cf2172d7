import { valueOf, type RequestHead, type ResponseHead } from './head.ts'

/** Headers of one connection, not of the message (RFC 9110, 7.6.1). The framing headers are forwarded unchanged. */
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

/** Headers that a caller cannot remove by naming them in Connection. */
const framing = new Set(['host', 'content-length', 'transfer-encoding'])

/** The head of a request for the service, with the caller's address at the end of X-Forwarded-For. */
export function forwardedRequest({ method, path, version, headers, host }: RequestHead, peer: string): string {
  const connection = valueOf(headers, 'connection')?.toLowerCase() ?? ''
  // The usual values name no header.
  const named = connection === '' || connection === 'keep-alive' ? [] : connection.split(/\s*,\s*/)
  let text = `${method} ${path} HTTP/${version}\r\n`
  for (const { key, line } of headers) {
    if (hopByHop.has(key) || key.startsWith('x-forwarded-') || key === 'x-real-ip') continue
    if (named.includes(key) && !framing.has(key)) continue
    text += `${line}\r\n`
  }
  const before = valueOf(headers, 'x-forwarded-for')
  const client = before === undefined ? peer : `${before}, ${peer}`
  return `${text}X-Forwarded-For: ${client}\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: ${host}\r\n\r\n`
}

/** The head of an answer for the caller. */
export function forwardedResponse({ statusLine, headers }: ResponseHead, isLast: boolean): string {
  let text = `${statusLine}\r\n`
  for (const { key, line } of headers) if (!hopByHop.has(key)) text += `${line}\r\n`
  return isLast ? `${text}Connection: close\r\n\r\n` : `${text}\r\n`
}
