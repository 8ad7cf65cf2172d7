import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { JsonObject } from '@bufbuild/protobuf'
import { execute, sql, type Em } from '@lettergate/database'

/** One look at a sending domain, kept as it was seen. */
export const DomainChecks = defineEntity({
  name: 'DomainCheck',
  tableName: 'domain_checks',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    sendingDomainId: p.uuid(),
    number: p.bigint('number'),
    passed: p.boolean(),
    isReady: p.boolean(),
    evidence: p.json<JsonObject>(),
    requestedBy: p.text(),
    checkedAt: p.datetime(),
  },
})

export type DomainCheck = InferEntity<typeof DomainChecks>

/**
 * Takes away checks from before those days that say what the check before and the one after them say, at most that many.
 * The first and the last of every stretch with one verdict stay, so what held at a moment can be told for ever.
 */
export const forgetRepeated = (em: Em, { days, most }: { days: number; most: number }): Promise<number> =>
  execute(
    em,
    sql`with old as (
          select c.workspace_id, c.id from domain_checks c
            cross join lateral (select passed, is_ready from domain_checks b where b.workspace_id = c.workspace_id
                                   and b.sending_domain_id = c.sending_domain_id and b.number < c.number order by b.number desc limit 1) as earlier
            cross join lateral (select passed, is_ready from domain_checks a where a.workspace_id = c.workspace_id
                                   and a.sending_domain_id = c.sending_domain_id and a.number > c.number order by a.number limit 1) as later
           where c.checked_at < clock_timestamp() - ${days} * interval '1 day'
             and (c.passed, c.is_ready) = (earlier.passed, earlier.is_ready) and (c.passed, c.is_ready) = (later.passed, later.is_ready)
           order by c.checked_at limit ${most} for update of c skip locked)
        delete from domain_checks d using old where d.workspace_id = old.workspace_id and d.id = old.id`,
  )
