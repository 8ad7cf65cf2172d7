import { defineEntity, p } from '@mikro-orm/core'
import { execute, newId, row, sql, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'

/** A rename or merge. The catalogue changed with it; contacts follow in batches until it is completed. */
export const TagChanges = defineEntity({
  name: 'TagChange',
  tableName: 'tag_changes',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    tagId: p.uuid(),
    fromName: p.text(),
    toName: p.text(),
    intoId: p.uuid().nullable(),
    actor: p.text(),
    contactsChanged: p.integer(),
    begunXid: p.text(),
    requestedAt: p.datetime(),
    completedAt: p.datetime().nullable(),
  },
})

export interface TagChange {
  kind: 'renamed' | 'merged'
  tagId: string
  from: string
  to: string
  /** the tag that takes the place of a merged one */
  intoId?: string
}

/** Begins a change of a workspace that has none running. Throws Fault `conflict` otherwise. */
export async function beginTagChange(em: Em, workspaceId: string, actor: string, change: TagChange): Promise<string> {
  const id = newId()
  const begun = await execute(
    em,
    sql`insert into tag_changes (workspace_id, id, kind, tag_id, from_name, to_name, into_id, actor)
        values (${workspaceId}, ${id}, ${change.kind}, ${change.tagId}, ${change.from}, ${change.to}, ${change.intoId ?? null},
                ${actor})
        on conflict (workspace_id) where completed_at is null do nothing`,
  )
  if (begun === 1) return id
  throw new Fault(
    'conflict',
    'tag_change',
    'Another rename or merge of a tag is still changing contacts of this workspace. Try again when it is done.',
  )
}

/** The change that contacts of this workspace are following now. */
export const runningTagChange = (em: Em, workspaceId: string) =>
  row<{ from: string; to: string }>(
    em,
    sql`select from_name as "from", to_name as "to" from tag_changes
         where workspace_id = ${workspaceId} and completed_at is null`,
  )

/** The tag that took the place of a merged one, however many merges later. */
export const survivorOf = (em: Em, workspaceId: string, mergedId: string) =>
  row<{ id: string; name: string }>(
    em,
    sql`with recursive led (id) as (
          select into_id from tag_changes
           where workspace_id = ${workspaceId} and tag_id = ${mergedId}::uuid and kind = 'merged'
          union
          select c.into_id from tag_changes c join led on c.tag_id = led.id
           where c.workspace_id = ${workspaceId} and c.kind = 'merged')
        select t.id, t.name from tags t join led using (id) where t.workspace_id = ${workspaceId}`,
  )
