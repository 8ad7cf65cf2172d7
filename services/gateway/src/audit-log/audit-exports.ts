import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { JsonObject } from '@bufbuild/protobuf'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publish } from '@lettergate/events'
import { HttpFault } from '@lettergate/http'
import type { CallScope, Service } from '@lettergate/service'
import type { Ctx } from '../ctx.ts'
import type { Exchange, Handler } from '../engine/exchange.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'

/** Concurrent exports of one process. Each reads its pages on a connection of the long pool. */
export const exportsAtOnce = 2

/** Statement timeout of an export, because a rare filter may scan the whole log for one page; lists have 5 s. */
export const exportPage = { limit: 1_000, statementTimeoutMs: 60_000, isLong: true }

/** A file whose request is already checked. `detail` is what the audit log stores about the export. */
export interface ExportedFile {
  name: string
  lines: AsyncIterable<string>
  action: string
  detail: JsonObject
}

/**
 * Sends files of JSON Lines, as fast as the client reads. An export is audited before the first line is sent. A failed download is
 * cut off.
 */
export function auditExports(service: Service, ctxOf: (scope: CallScope) => Ctx) {
  let underWay = 0
  return (open: (ctx: Ctx, exchange: Exchange) => Promise<ExportedFile>): Handler =>
    async (exchange) => {
      const ctx = ctxOf(exchange.scope())
      requirePlatformAdministrator(ctx.caller)
      if (underWay === exportsAtOnce) throw tooManyAtOnce()
      underWay += 1
      try {
        await send(ctx, exchange, await open(ctx, exchange))
      } finally {
        underWay -= 1
      }
    }

  async function send(ctx: Ctx, { req, res }: Exchange, { name, lines, action, detail }: ExportedFile) {
    if (req.method !== 'HEAD') await recordExport(ctx, action, detail)
    res.writeHead(200, {
      'Content-Type': 'application/x-ndjson; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
    })
    if (req.method === 'HEAD') return void res.end()
    try {
      await pipeline(Readable.from(lines, { highWaterMark: 64 }), res)
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

const recordExport = (ctx: Ctx, action: string, detail: JsonObject): Promise<void> =>
  ctx.acrossWorkspaces(ctx.caller).tx((em) =>
    publish(em, AuditRecordedSchema, {
      action,
      subjectType: 'audit_log',
      subjectId: 'platform',
      actor: ctx.caller.actor,
      detail,
    }),
  )
