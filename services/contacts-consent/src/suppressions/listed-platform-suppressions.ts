import { columns, kyselyOf, leftJoined, sql, statement, type Em, type Sql } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { maskedEmail } from '../values/normalized-email.ts'
import { Workspace } from '../workspaces/workspace.entity.ts'
import { PlatformSuppression } from './platform-suppression.entity.ts'
import { Suppression } from './suppression.entity.ts'

const selectNewest = statement('select-newest-platform-suppressions', {
  ...columns(PlatformSuppression, 'id', 'normalized_email', 'reason', 'created_at', 'resolved_at'),
  ...columns(Suppression, 'actor', 'resolved_by'),
  ...leftJoined({ ...columns(Workspace, 'organization'), workspace: columns(Workspace, 'slug').slug }),
})

/** The newest platform suppressions p that match all conditions, without data of their workspaces. Needs a system transaction. */
export async function newestPlatformSuppressions(em: Em, conditions: readonly Sql[], limit: number) {
  const found = await selectNewest.rows(
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
  const found = await kyselyOf(em, PlatformSuppression, Suppression)
    .selectFrom('platform_suppressions as p')
    .innerJoin('suppressions as s', 's.id', 'p.id')
    .select('s.workspace_id')
    .where('s.scope', '=', 'platform')
    .where('p.id', '=', id)
    .executeTakeFirst()
  return found?.workspace_id
}
