import type { JsonObject } from '@bufbuild/protobuf'
import { rows, sql, type Em } from '@lettergate/database'
import { moment, momentOrUnset } from '../domain/moments.ts'

interface SuppressionListRow {
  id: string
  contact_id: string
  email: string
  scope: string
  audience_id: string | null
  audience_name: string | null
  reason: string
  source: string
  evidence: JsonObject | null
  actor: string
  created_at: string
  resolved_at: string | null
  resolved_by: string | null
  resolution_reason: string | null
}

/** The newest suppressions s of contacts c that all the conditions name. */
export async function newestSuppressions(
  em: Em,
  workspaceId: string,
  conditions: readonly ReturnType<typeof sql>[],
  limit: number,
) {
  const found = await rows<SuppressionListRow>(
    em,
    sql`select s.id, s.contact_id, c.email, s.scope, s.audience_id, a.name as audience_name, s.reason, s.source, s.evidence,
               s.actor, s.created_at, s.resolved_at, s.resolved_by, s.resolution_reason
          from suppressions s
          join contacts c on c.workspace_id = ${workspaceId} and c.id = s.contact_id
          left join audiences a on a.workspace_id = ${workspaceId} and a.id = s.audience_id
         where ${sql.join([sql`s.workspace_id = ${workspaceId}`, ...conditions], sql` and `)}
         order by s.id desc limit ${limit}`,
  )
  return found.map((one) => ({
    id: one.id,
    contactId: one.contact_id,
    email: one.email,
    scope: one.scope,
    audienceId: one.audience_id ?? undefined,
    audienceName: one.audience_name ?? undefined,
    reason: one.reason,
    source: one.source,
    evidence: one.evidence ?? undefined,
    actor: one.actor,
    createdAt: moment(one.created_at),
    resolvedAt: momentOrUnset(one.resolved_at),
    resolvedBy: one.resolved_by ?? undefined,
    resolutionReason: one.resolution_reason ?? undefined,
  }))
}
