import { ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http'
import { correlationIdOf } from './request-facts.ts'

const securityHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

/**
 * A response with the correlation id of its request and security headers. A header of the handler with the same name replaces
 * them, if it has the same upper and lower case. They are added with the head, because setting each one is expensive.
 */
export class SecuredResponse extends ServerResponse {
  override writeHead(status: number, ...given: unknown[]): this {
    const headers = given.find((each): each is OutgoingHttpHeaders => typeof each === 'object' && each !== null)
    const correlationId = correlationIdOf(this.req)
    if (this.getHeaderNames().length > 0) {
      const before = { ...securityHeaders, 'X-Correlation-ID': correlationId }
      for (const [name, value] of Object.entries(before)) if (!this.hasHeader(name)) this.setHeader(name, value)
      return super.writeHead(status, headers)
    }
    const all = { ...securityHeaders, 'X-Correlation-ID': correlationId, ...headers }
    return super.writeHead(status, Object.entries(all).flat() as OutgoingHttpHeader[])
  }
}
