import type { ListAlertsRequest, ListAlertsResponseSchema } from '@lettergate/contracts/identity/v1/alerts'
import { sql } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { newestAlerts, shownAlert } from './alert.entity.ts'
import { requirePlatformAdministrator } from '../identity/require-platform-administrator.ts'
import { requireWorkspaces } from '../identity/require-workspaces.ts'

/** Alerts with the user who acknowledged them, newest first, in pages. */
export async function listAlerts(ctx: Ctx, req: ListAlertsRequest): Promise<Reply<typeof ListAlertsResponseSchema>> {
  requirePlatformAdministrator(ctx.caller)
  const limit = parseLimit(req.limit)
  const { code, severity, acknowledged } = req
  const after = parseCursor('alerts', req.cursor)
  const conditions = [
    ...(after === null ? [] : [sql`e.id < ${after}::uuid`]),
    ...(code === undefined ? [] : [sql`e.code = ${code}`]),
    ...(severity === undefined ? [] : [sql`e.severity = ${severity}`]),
    ...(acknowledged === undefined
      ? []
      : [acknowledged ? sql`e.acknowledged_at is not null` : sql`e.acknowledged_at is null`]),
  ]
  const found = await ctx.acrossWorkspaces(ctx.caller).tx(async (em) => {
    const workspaceIds = await requireWorkspaces(em, req)
    return newestAlerts(em, { workspaceIds, conditions, limit: limit + 1 })
  })
  const { page, nextCursor } = pageOf('alerts', found, limit, (alert) => alert.detail)
  return { alerts: page.map(shownAlert), nextCursor }
}
