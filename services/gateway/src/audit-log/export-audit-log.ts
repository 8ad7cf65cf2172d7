import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { create } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { AuditEntrySchema, ListAuditEntriesRequestSchema } from '@lettergate/contracts/identity/v1/audit_log'
import { publish } from '@lettergate/events'
import { HttpFault } from '@lettergate/http'
import { compileJson } from '@lettergate/message-json'
import type { CallScope, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { Exchange, Handler } from '../engine/exchange.ts'
import { compileRequest } from '../engine/transcode-request.ts'
import { auditEntriesPage } from './list-audit-entries.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'

/** Concurrent exports of one process. Each reads its pages on a connection of the long pool. */
export const exportsAtOnce = 2

/** Statement timeout of an export, because a rare filter may scan the whole log for one page; lists have 5 s. */
const atOnce = { limit: 1_000, statementTimeoutMs: 60_000, isLong: true }

/**
 * The audit log as JSON Lines: all entries that match the filters, newest first. It reads page by page, as fast as the client
 * reads. The export is audited before the first line is sent. A failed download is cut off.
 */
export function exportAuditLog(service: Service, ctxOf: (scope: CallScope) => Ctx): Handler {
  const convert = compileRequest(ListAuditEntriesRequestSchema)
  const toJson = compileJson(AuditEntrySchema)
  let underWay = 0
  return async (exchange) => {
    const ctx = ctxOf(exchange.scope())
    requirePlatformAdministrator(ctx.caller)
    if (underWay === exportsAtOnce) throw tooManyAtOnce()
    underWay += 1
    try {
      await send(ctx, exchange)
    } finally {
      underWay -= 1
    }
  }

  async function send(ctx: Ctx, { req, res, read }: Exchange) {
    const parts = await read()
    const asked = create(ListAuditEntriesRequestSchema, convert(parts))
    const pageAfter = (cursor: string | undefined) =>
      auditEntriesPage(ctx, cursor === undefined ? asked : { ...asked, cursor }, atOnce)

    // An invalid request is refused before the file begins.
    const first = await pageAfter(undefined)
    async function* lines() {
      for (let page = first; ; page = await pageAfter(page.nextCursor)) {
        for (const entry of page.entries) yield `${JSON.stringify(toJson(create(AuditEntrySchema, entry)))}\n`
        if (page.nextCursor === undefined) return
      }
    }
    if (req.method !== 'HEAD') await recordExport(ctx, parts.query)
    res.writeHead(200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': 'attachment; filename="audit-log.ndjson"',
      'Cache-Control': 'no-store',
    })
    if (req.method === 'HEAD') return void res.end()
    try {
      await pipeline(Readable.from(lines(), { highWaterMark: 64 }), res)
    } catch (error) {
      // A part of the file is already sent: close the connection, so that the client sees an incomplete file.
      service.log.warn({ err: error, correlation_id: ctx.caller.correlationId }, 'an export was cut short')
      res.destroy()
    }
  }
}

const tooManyAtOnce = () =>
  new HttpFault(
    503,
    'exports_at_once',
    `${exportsAtOnce} exports of the audit log are being read already. Wait until one of them has ended and start again.`,
    { headers: { 'Retry-After': '60' } },
  )

/** The slugs are valid, because the first page was read; the timestamps are checked. */
const keptFilters = new Set(['organization', 'workspace', 'since', 'until'])

/** The filters for the audit entry. Texts may contain an address and entries are kept for ever, so only ids are recorded. */
const usedFilters = (query: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const text = String(value)
      return [name, keptFilters.has(name) || isUuid(text) ? text : 'not kept']
    }),
  )

const recordExport = (ctx: Ctx, query: Record<string, unknown>): Promise<void> =>
  ctx.acrossWorkspaces(ctx.caller).tx((em) =>
    publish(em, AuditRecordedSchema, {
      action: 'audit_log_exported',
      subjectType: 'audit_log',
      subjectId: 'platform',
      actor: ctx.caller.actor,
      detail: { filters: usedFilters(query) },
    }),
  )
