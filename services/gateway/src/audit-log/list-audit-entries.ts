import { timestampDate } from '@bufbuild/protobuf/wkt'
import type {
  ListAuditEntriesRequest,
  ListAuditEntriesResponseSchema,
} from '@lettergate/contracts/identity/v1/audit_log'
import { sql } from '@lettergate/database'
import { idCeiling, idFloor, pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import { moment } from '@lettergate/values/moment'
import type { Ctx } from '../ctx.ts'
import { newestAuditEntries, type AuditEntryRow } from './audit-entry.entity.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'
import { requireWorkspaces } from '../identity/require-workspaces.ts'

/** Entries of every workspace and of the platform, newest first, in pages. The cost of a page does not depend on the length of the log. */
export async function listAuditEntries(
  ctx: Ctx,
  req: ListAuditEntriesRequest,
): Promise<Reply<typeof ListAuditEntriesResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  return auditEntriesPage(ctx, req, { limit: parseLimit(req.limit) })
}

/** One page of entries; for callers that are already authorized. */
export async function auditEntriesPage(
  ctx: Ctx,
  req: ListAuditEntriesRequest,
  { limit, ...options }: { limit: number; statementTimeoutMs?: number; isLong?: boolean },
) {
  const conditions = conditionsOf(req)
  const found = await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const workspaceIds = await requireWorkspaces(em, req)
    return newestAuditEntries(em, { workspaceIds, conditions, limit: limit + 1 })
  }, options)
  const { page, nextCursor } = pageOf('audit-log', found, limit, (entry) => entry.detail)
  return { entries: page.map(shown), nextCursor }
}

function conditionsOf(req: ListAuditEntriesRequest) {
  const { action, actor, subjectType, subjectId, correlationId } = req
  const after = parseCursor('audit-log', req.cursor)
  const since = req.since && timestampDate(req.since)
  const until = req.until && timestampDate(req.until)
  return [
    ...(after === null ? [] : [sql`e.id < ${after}::uuid`]),
    ...(action === undefined ? [] : [sql`e.action = ${action}`]),
    ...(actor === undefined ? [] : [sql`e.actor = ${actor}`]),
    ...(subjectType === undefined ? [] : [sql`e.subject_type = ${subjectType}`]),
    ...(subjectId === undefined ? [] : [sql`e.subject_id = ${subjectId}`]),
    ...(correlationId === undefined ? [] : [sql`e.correlation_id = ${correlationId}`]),
    ...(since === undefined ? [] : [sql`e.id >= ${idFloor(since)}::uuid and e.occurred_at >= ${since}`]),
    ...(until === undefined ? [] : [sql`e.id < ${idCeiling(until)}::uuid and e.occurred_at < ${until}`]),
  ]
}

const shown = (entry: AuditEntryRow) => ({
  id: entry.id,
  occurredAt: moment(entry.occurred_at),
  organization: entry.organization ?? undefined,
  workspace: entry.workspace ?? undefined,
  action: entry.action,
  subjectType: entry.subject_type,
  subjectId: entry.subject_id,
  actor: entry.actor,
  actorKind: entry.actor_kind ?? undefined,
  authMethod: entry.auth_method ?? undefined,
  detail: entry.detail,
  correlationId: entry.correlation_id ?? undefined,
  traceId: entry.trace_id ?? undefined,
})
