import { row, rows, sql, type Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { maskedEmail } from '../values/normalized-email.ts'

interface PlatformSuppressionListRow {
  id: string
  normalized_email: string
  reason: string
  organization: string | null
  workspace: string | null
  actor: string
  created_at: string
  resolved_at: string | null
  resolved_by: string | null
}

type Sql = ReturnType<typeof sql>

/** The newest platform suppressions p that all the conditions name, without what their workspaces know of them. Needs a system transaction. */
export async function newestPlatformSuppressions(em: Em, conditions: readonly Sql[], limit: number) {
  const found = await rows<PlatformSuppressionListRow>(
    em,
    sql`select p.id, p.normalized_email, p.reason, w.organization, w.slug as workspace, s.actor, p.created_at, p.resolved_at,
               s.resolved_by
          from (select * from platform_suppressions p where ${sql.join([sql`true`, ...conditions], sql` and `)}
                 order by p.id desc limit ${limit}) p
          join suppressions s on s.id = p.id and s.scope = 'platform'
          left join workspaces w on w.workspace_id = s.workspace_id
         order by p.id desc`,
  )
  return found.map((one) => ({
    id: one.id,
    maskedEmail: one.normalized_email === `erased:${one.id}` ? 'erased' : maskedEmail(one.normalized_email),
    reason: one.reason,
    organization: one.organization ?? undefined,
    workspace: one.workspace ?? undefined,
    actor: one.actor,
    createdAt: moment(one.created_at),
    resolvedAt: moment(one.resolved_at),
    resolvedBy: one.resolved_by ?? undefined,
  }))
}

/** The workspace that made a platform suppression. Needs a system transaction. */
export async function workspaceOfPlatformSuppression(em: Em, id: string): Promise<string | undefined> {
  const found = await row<{ workspace_id: string }>(
    em,
    sql`select s.workspace_id from platform_suppressions p join suppressions s on s.id = p.id and s.scope = 'platform'
         where p.id = ${id}::uuid`,
  )
  return found?.workspace_id
}
