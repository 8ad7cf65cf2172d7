import type { Request, Response } from 'express'
import type { CallScope } from '@lettergate/service'
import type { Authenticated } from './authenticate.ts'
import type { DocumentKind } from './load-document.ts'
import type { RequestParts } from './transcode-request.ts'

/** One request that the gateway answers by itself, with what the engine found out about it. */
export interface Exchange {
  req: Request
  res: Response
  params: Readonly<Record<string, string>>
  correlationId: string
  /** null on public routes */
  caller: Authenticated | null
  /** the document that describes the route; null for routes beside them */
  document: DocumentKind | null
  /** For handlers that ask another service in the caller's name; throws on public routes. */
  scope: () => CallScope
  /** Path, query and body as the document describes them, checked like those of an operation with an rpc. */
  read: () => Promise<RequestParts>
  /** Answers JSON, checked against the document where that is on. */
  answer: (status: number, body: unknown) => void
}

export type Handler = (exchange: Exchange) => Promise<void> | void

export function sendJson(res: Response, status: number, body: unknown): void {
  const json = JSON.stringify(body)
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
    'Cache-Control': 'no-store',
  })
  res.end(json)
}

/** A page of ours. `policy` replaces the content security policy, which allows nothing. */
export function sendHtml(res: Response, status: number, html: string, policy: string): void {
  res.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy,
  })
  res.end(html)
}

/** True when the Accept header ranks HTML above JSON; what names neither is a program. */
export function prefersHtml(req: Request): boolean {
  return req.headers.accept !== undefined && req.accepts(['application/json', 'text/html']) === 'text/html'
}
