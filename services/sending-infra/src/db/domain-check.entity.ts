import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { column, columns, leftJoined, nullable, sql, statement, type Em } from '@lettergate/database'

/** One check of a sending domain, with the result at that time. */
export const DomainCheck = defineEntity({
  name: 'DomainCheck',
  tableName: 'domain_checks',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    sendingDomainId: p.uuid(),
    number: p.bigint(),
    passed: p.boolean(),
    isReady: p.boolean(),
    evidence: p.json<JsonObject>(),
    requestedBy: p.text(),
    checkedAt: p.datetime(),
  },
})

export type DomainCheck = InferEntity<typeof DomainCheck>

const deleteRepeated = statement('delete-repeated-domain-checks', {
  ...leftJoined(columns(DomainCheck, 'id')),
  deleted: column.integer(),
  checked_at: nullable(column.text()),
})

/** The position in the list of old checks. */
export interface OldCheck {
  checkedAt: string
  id: string
}

/**
 * Deletes old checks with the same verdict as the check before and the check after, oldest first. The first and the last check
 * of every period with one verdict stay, so the verdict at any past time is known. Answers the number of deleted checks and the
 * position; `last` is undefined at the end.
 */
export async function purgeRepeated(
  em: Em,
  { days, after, most }: { days: number; after: OldCheck | undefined; most: number },
): Promise<{ deleted: number; last: OldCheck | undefined }> {
  const { checkedAt = '-infinity', id = '00000000-0000-0000-0000-000000000000' } = after ?? {}
  const found = await deleteRepeated.row(
    em,
    sql`with slice as materialized (
          select workspace_id, sending_domain_id, number, id, checked_at, passed, is_ready from domain_checks
           where checked_at < now() - ${days} * interval '1 day' and (checked_at, id) > (${checkedAt}::timestamptz, ${id}::uuid)
           order by checked_at, id limit ${most}),
        repeated as (
          select c.workspace_id, c.id from slice s
            cross join lateral (select passed, is_ready from domain_checks b where b.workspace_id = s.workspace_id
                                   and b.sending_domain_id = s.sending_domain_id and b.number < s.number order by b.number desc limit 1) as earlier
            cross join lateral (select passed, is_ready from domain_checks a where a.workspace_id = s.workspace_id
                                   and a.sending_domain_id = s.sending_domain_id and a.number > s.number order by a.number limit 1) as later
            join domain_checks c on c.workspace_id = s.workspace_id and c.id = s.id
           where (s.passed, s.is_ready) = (earlier.passed, earlier.is_ready) and (s.passed, s.is_ready) = (later.passed, later.is_ready)
             for update of c skip locked),
        gone as (
          delete from domain_checks d using repeated r where d.workspace_id = r.workspace_id and d.id = r.id returning 1)
        select (select count(*)::int from gone) as deleted, last.checked_at::text, last.id
          from (values (1)) as one left join (select checked_at, id from slice order by checked_at desc, id desc limit 1) as last on true`,
  )
  const { deleted = 0, checked_at: at = null, id: lastId = null } = found ?? {}
  return { deleted, last: at === null || lastId === null ? undefined : { checkedAt: at, id: lastId } }
}
