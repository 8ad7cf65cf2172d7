import { create } from '@bufbuild/protobuf'
import { AuditEntrySchema, ListAuditEntriesRequestSchema } from '@lettergate/contracts/identity/v1/audit_log'
import { compileJson } from '@lettergate/message-json'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import type { Exchange } from '../engine/exchange.ts'
import { compileRequest } from '../engine/transcode-request.ts'
import { exportPage, type ExportedFile } from './audit-exports.ts'
import { auditEntriesPage } from './list-audit-entries.ts'

const convert = compileRequest(ListAuditEntriesRequestSchema)
const toJson = compileJson(AuditEntrySchema)

/** The audit log as JSON Lines: all entries that match the filters, newest first, read page by page. */
export async function exportAuditLog(ctx: Ctx, { read }: Exchange): Promise<ExportedFile> {
  const parts = await read()
  const asked = create(ListAuditEntriesRequestSchema, convert(parts))
  const pageAfter = (cursor: string | undefined) =>
    auditEntriesPage(ctx, cursor === undefined ? asked : { ...asked, cursor }, exportPage)

  // An invalid request is refused before the file begins.
  const first = await pageAfter(undefined)
  async function* lines() {
    for (let page = first; ; page = await pageAfter(page.nextCursor)) {
      for (const entry of page.entries) yield `${JSON.stringify(toJson(create(AuditEntrySchema, entry)))}\n`
      if (page.nextCursor === undefined) return
    }
  }
  return {
    name: 'audit-log.ndjson',
    lines: lines(),
    action: 'audit_log_exported',
    detail: { filters: usedFilters(parts.query) },
  }
}

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
