import type { Ctx } from '../ctx.ts'
import type { Exchange } from '../engine/exchange.ts'
import { chainFormat } from './audit-chain.ts'
import { exportPage, type ExportedFile } from './audit-exports.ts'
import { auditHead, sealsAfter } from './audit-seal.entity.ts'

/**
 * The audit log with its seals as JSON Lines, in the order of the chain: a first line with the format, one line for each entry
 * with its seal, and a last line with the end of the chain. `after` continues an earlier file. For `make verify-audit-log`.
 */
export async function exportAuditChain(ctx: Ctx, { read }: Exchange): Promise<ExportedFile> {
  const { query } = await read()
  const after = Number(query['after'] ?? 0)
  const { limit, ...options } = exportPage
  const system = ctx.acrossWorkspaces(ctx.caller)
  // Later entries are for the next file, so that a busy log has an end.
  const head = await system.tx(auditHead)
  const end = head?.position ?? 0
  async function* lines() {
    yield `${JSON.stringify({ format: chainFormat, after })}\n`
    for (let position = after; position < end;) {
      const page = await system.tx((em) => sealsAfter(em, position, Math.min(limit, end - position)), options)
      for (const one of page) yield `${JSON.stringify(one)}\n`
      if (page.length === 0) break
      position = page.at(-1)!.seal.position
    }
    yield `${JSON.stringify({ head: { position: end, sha256: head?.sha256 ?? null } })}\n`
  }
  return { name: 'audit-chain.ndjson', lines: lines(), action: 'audit_log_exported', detail: { chain_after: after } }
}
