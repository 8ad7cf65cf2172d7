import type { IncomingMessage, ServerResponse } from 'node:http'
import { request, type Request } from 'express'
import type { CallScope } from '@lettergate/service'
import type { Authenticated } from './authenticate.ts'
import type { DocumentKind } from './load-document.ts'
import type { RequestParts } from './transcode-request.ts'

/** One request that the gateway handles itself, with the results of the engine's checks. */
export interface Exchange {
  req: IncomingMessage
  res: ServerResponse
  params: Readonly<Record<string, string>>
  correlationId: string
  /** null on public routes */
  caller: Authenticated | null
  /** the document of the route; null for routes without a document */
  document: DocumentKind | null
  /** The scope for calls to other services as the caller; throws on public routes. */
  scope: () => CallScope
  /** Path, query and body of the document, checked like those of an operation with an rpc. */
  read: () => Promise<RequestParts>
  /** Answers JSON, checked against the document if that is on. */
  answer: (status: number, body: unknown) => void
}

export type Handler = (exchange: Exchange) => Promise<void> | void

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const json = JSON.stringify(body)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
    'Cache-Control': 'no-store',
  })
  res.end(json)
}

/** Answers an HTML page. `policy` replaces the content security policy, which allows nothing. */
export function sendHtml(res: ServerResponse, status: number, html: string, policy: string): void {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
  })
  res.end(html)
}

/** The content negotiation of express, which needs only the headers. */
const negotiation = ({ headers }: IncomingMessage) => Object.create(request, { headers: { value: headers } }) as Request

/** Whether the Accept header prefers HTML to JSON; a header with neither is from a program. */
export const prefersHtml = (req: IncomingMessage): boolean =>
  req.headers.accept !== undefined && negotiation(req).accepts(['application/json', 'text/html']) === 'text/html'

/** The one of these languages that the Accept-Language header prefers, or false. */
export const preferredLanguage = (req: IncomingMessage, languages: readonly string[]): string | false =>
  negotiation(req).acceptsLanguages([...languages])
