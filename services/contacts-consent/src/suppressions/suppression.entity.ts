import { defineEntity, p, sql as now, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { column, columns, kyselyOf, nullable, sql, statement, type Em, type RowOf } from '@lettergate/database'
import type { Blocker, SuppressionReason, SuppressionScope } from './suppression.ts'
import { PlatformSuppression } from './platform-suppression.entity.ts'

export const Suppression = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    contactId: p.uuid(),
    scope: p.text().$type<SuppressionScope>(),
    audienceId: p.uuid().nullable(),
    reason: p.text().$type<SuppressionReason>(),
    source: p.text(),
    evidence: p.json<JsonObject>().nullable(),
    actor: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    resolvedAt: p.datetime().nullable(),
    resolvedBy: p.text().nullable(),
    resolutionReason: p.text().nullable(),
  },
})

export type Suppression = InferEntity<typeof Suppression>

/** A suppression to create, unless an unresolved one of the same kind exists. */
export interface SuppressionRequest {
  id: string
  contactId: string
  scope: SuppressionScope
  audienceId: string | null
  reason: SuppressionReason
  source: string
  evidence?: JsonObject | undefined
}

const kindColumns = columns(Suppression, 'id', 'contact_id', 'scope', 'audience_id', 'reason')
const unresolvedColumns = { ...kindColumns, is_new: column.boolean() }
const leave = statement('leave-suppressions', unresolvedColumns)

/** An unresolved suppression after the call, new or old. */
export type UnresolvedSuppression = RowOf<typeof unresolvedColumns>

/**
 * Ensures one unresolved suppression for each requested (contact, scope, audience, reason), in one statement. Answers the new and
 * the old ones. A platform suppression also applies to the address in every workspace. The contacts must be locked.
 */
export async function ensureSuppressions(
  em: Em,
  workspaceId: string,
  actor: string,
  requested: readonly SuppressionRequest[],
): Promise<UnresolvedSuppression[]> {
  if (requested.length === 0) return []
  return leave.rows(
    em,
    sql`with requested as (
          select * from jsonb_to_recordset(${JSON.stringify(requested)}::jsonb) as q (id uuid, "contactId" uuid, scope text,
                 "audienceId" uuid, reason text, source text, evidence jsonb)),
        created as (
          insert into suppressions (workspace_id, id, contact_id, scope, audience_id, reason, source, evidence, actor)
          select ${workspaceId}::uuid, id, "contactId", scope, "audienceId", reason, source, evidence, ${actor} from requested
          on conflict (workspace_id, contact_id, scope, audience_id, reason) where resolved_at is null do nothing
          returning id, contact_id, scope, audience_id, reason),
        held as (
          insert into platform_suppressions (id, normalized_email, reason)
          select s.id, c.normalized_email, s.reason from created s
            join contacts c on c.workspace_id = ${workspaceId} and c.id = s.contact_id
           where s.scope = 'platform')
        select created.*, true as is_new from created
        union all
        select distinct s.id, s.contact_id, s.scope, s.audience_id, s.reason, false
          from requested q
          join suppressions s on s.workspace_id = ${workspaceId} and s.contact_id = q."contactId" and s.scope = q.scope
               and s.audience_id is not distinct from q."audienceId" and s.reason = q.reason and s.resolved_at is null`,
  )
}

const selectBlocker = statement('select-blocking-suppression', {
  ...columns(Suppression, 'scope', 'reason'),
  suppressionId: nullable(column.uuid()),
})

/** The unresolved suppression of a contact for one audience: the one with the widest scope, and of these the oldest. */
export async function findBlocker(
  em: Em,
  workspaceId: string,
  contactId: string,
  audienceId: string,
): Promise<Blocker | undefined> {
  return selectBlocker.row(
    em,
    sql`select scope, reason, "suppressionId" from (
          select 1 as width, s.id, 'platform' as scope, s.reason, null::uuid as "suppressionId"
            from contacts c
            join platform_suppressions s on s.normalized_email = c.normalized_email and s.resolved_at is null
           where c.workspace_id = ${workspaceId} and c.id = ${contactId}
          union all
          select case scope when 'workspace' then 2 else 3 end, id, scope, reason, id
            from suppressions
           where workspace_id = ${workspaceId} and contact_id = ${contactId} and resolved_at is null
             and (scope = 'workspace' or (scope = 'audience' and audience_id = ${audienceId}))
        ) unresolved order by width, id limit 1`,
  )
}

/** The unresolved suppressions of these contacts in this workspace, without those of the platform. */
export const unresolvedOfContacts = (em: Em, workspaceId: string, contactIds: readonly string[]) =>
  kyselyOf(em, Suppression)
    .selectFrom('suppressions')
    .select(['id', 'contact_id', 'scope', 'audience_id', 'reason'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', (eb) => eb.fn.any(eb.val([...contactIds])))
    .where('resolved_at', 'is', null)
    .where('scope', '<>', 'platform')
    .orderBy('id')
    .execute()

const eraseDetails = statement('erase-suppression-details')

/** Deletes personal data from the suppressions of a contact; they stay in force. Answers the number of changed suppressions. */
export const eraseSuppressionDetails = (em: Em, workspaceId: string, contactId: string): Promise<number> =>
  eraseDetails.execute(
    em,
    sql`update suppressions
           set evidence = null, resolution_reason = case when resolved_at is not null then 'erased' end
         where workspace_id = ${workspaceId} and contact_id = ${contactId}
           and (evidence is not null or resolution_reason <> 'erased')`,
  )

/** One suppression of this workspace, resolved or not. */
export const findSuppression = (em: Em, workspaceId: string, id: string) => em.findOne(Suppression, { workspaceId, id })

/** Resolves a suppression, and its platform suppression if it has one. Answers whether this call resolved it. */
export async function resolveOnce(
  em: Em,
  workspaceId: string,
  {
    suppressionId,
    resolvedBy,
    resolutionReason,
  }: { suppressionId: string; resolvedBy: string; resolutionReason: string },
): Promise<boolean> {
  const resolved = await em.nativeUpdate(
    Suppression,
    { workspaceId, id: suppressionId, resolvedAt: null },
    { resolvedAt: now.now(), resolvedBy, resolutionReason },
  )
  if (resolved === 0) return false
  await em.nativeUpdate(PlatformSuppression, { id: suppressionId, resolvedAt: null }, { resolvedAt: now.now() })
  return true
}
