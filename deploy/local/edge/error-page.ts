import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { escapeHtml } from '@lettergate/values/html'
import { pageStyle } from '../html.ts'

const messages: Record<number, string> = {
  400: 'The request is not one that can be passed on. Check its method, path and headers.',
  408: 'The request did not arrive in time. Send it again.',
  431: 'The headers of the request are too long. Send fewer or shorter ones.',
  502: 'The service broke off before it answered. The request may have been carried out: look before you send it again.',
  503: 'The service cannot be reached; it may be starting. Nothing was done. Send the request again in a moment.',
  504: 'The service did not answer in time. The request may have been carried out: look before you send it again.',
}

/** An error page in the form of the service's error pages. */
function errorPage(status: number, correlationId: string): string {
  const title = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)}</title>
<style>${pageStyle} main { max-width: 36rem; margin: 12vh auto; padding: 0 1rem; } code { color: var(--soft); overflow-wrap: anywhere; }</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(messages[status] ?? 'Try again later.')}</p><p><code>Correlation id: ${escapeHtml(correlationId)}</code></p></main></body></html>
`
}

/** The caller's correlation id if it is well formed, otherwise a new one. */
const correlationIdOf = (given: string | undefined): string =>
  given !== undefined && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID()

const reasons: Record<number, string> = {
  408: 'malformed_http',
  431: 'malformed_http',
  502: 'connection_lost',
  503: 'unavailable',
  504: 'timeout',
}

/** The complete answer of a request that is not forwarded. It ends the connection. */
export function errorAnswer(status: number, givenCorrelationId?: string): string {
  const correlationId = correlationIdOf(givenCorrelationId)
  const page = errorPage(status, correlationId)
  const headers = Object.entries({
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    'X-Correlation-ID': correlationId,
    'X-Error-Reason': reasons[status] ?? 'malformed_http',
    ...(status === 503 ? { 'Retry-After': '2' } : {}),
    Connection: 'close',
  })
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${page}`
}
