import { setTimeout as sleep } from 'node:timers/promises'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, rows, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { tagWord } from '../search/contact-word.entity.ts'
import type { TagChange } from './tag-change.entity.ts'

const contactsAtOnce = 2_000
/** for contacts that somebody else is writing just now */
const pauseMs = 25

interface Step {
  changed: number
  /** the last contact of this step; null: none after the one before it */
  reached: string | null
  isCompleted: boolean
}

type RunningChange = TagChange & { actor: string; contactsChanged: number }

/**
 * Lets contacts follow a rename or merge, a batch a transaction, until none carries the old name or the time is up.
 * Safe to repeat and to run twice at once: a contact that has followed no longer matches, one that somebody else holds
 * is not waited for, and the change is completed, with its audit record, only when nobody is left. Fires no trigger.
 */
export async function followTagChange(ctx: Ctx, id: string, forMs: number): Promise<void> {
  const until = performance.now() + forMs
  let after: string | null = null
  while (performance.now() < until) {
    const step: Step | undefined = await ctx.tx((em) => takeStep(em, ctx.workspaceId, id, after))
    if (!step || step.isCompleted) return
    after = step.reached
    if (after === null) await sleep(pauseMs)
  }
}

/** undefined: the change is completed, or somebody else takes a step. */
async function takeStep(em: Em, workspaceId: string, id: string, after: string | null): Promise<Step | undefined> {
  const change = await row<RunningChange>(
    em,
    sql`select kind, tag_id as "tagId", from_name as "from", to_name as "to", actor, contacts_changed as "contactsChanged"
          from tag_changes where workspace_id = ${workspaceId} and id = ${id} and completed_at is null
           for update skip locked`,
  )
  if (!change) return undefined
  const followed = await replaceTag(em, workspaceId, change, after)
  if (followed.length > 0) {
    await execute(
      em,
      sql`update tag_changes set contacts_changed = contacts_changed + ${followed.length}
           where workspace_id = ${workspaceId} and id = ${id}`,
    )
    return { changed: followed.length, reached: followed.at(-1)!, isCompleted: false }
  }
  const isCompleted = after === null && (await isOver(em, workspaceId, id, change.from))
  if (isCompleted) await complete(em, workspaceId, id, change)
  return { changed: 0, reached: null, isCompleted }
}

const carrying = (workspaceId: string, name: string) =>
  sql`select k.contact_id from contact_words k where k.workspace_id = ${workspaceId} and k.word = ${tagWord(name)}`

/** In the order of ids, so that a batch does not look again at what the ones before it have changed. */
async function replaceTag(em: Em, workspaceId: string, { from, to }: TagChange, after: string | null) {
  const followed = await rows<{ id: string }>(
    em,
    sql`with next as materialized (
          ${carrying(workspaceId, from)} and ${after === null ? sql`true` : sql`k.contact_id > ${after}::uuid`}
           order by k.contact_id limit ${contactsAtOnce}),
        carrying as materialized (
          select c.id from contacts c
           where c.workspace_id = ${workspaceId} and c.id in (select contact_id from next) and ${from} = any(c.tags)
             for no key update skip locked),
        changed as (
          update contacts c
             set tags = case when ${to} = any(c.tags) then array_remove(c.tags, ${from})
                             else array_replace(c.tags, ${from}, ${to}) end,
                 updated_at = now()
            from carrying where c.workspace_id = ${workspaceId} and c.id = carrying.id
          returning c.id)
        select id from changed order by id`,
  )
  return followed.map((contact) => contact.id)
}

/** Nobody carries the name, and nobody who was writing when the change began can still come with it. */
async function isOver(em: Em, workspaceId: string, id: string, name: string): Promise<boolean> {
  const found = await row<{ isOver: boolean }>(
    em,
    sql`select pg_snapshot_xmin(pg_current_snapshot()) > begun_xid
               and not exists (${carrying(workspaceId, name)})
               as "isOver"
          from tag_changes where workspace_id = ${workspaceId} and id = ${id}`,
  )
  return found?.isOver === true
}

async function complete(em: Em, workspaceId: string, id: string, change: RunningChange): Promise<void> {
  await execute(em, sql`update tag_changes set completed_at = now() where workspace_id = ${workspaceId} and id = ${id}`)
  await publish(em, AuditRecordedSchema, {
    action: `tag_${change.kind}`,
    subjectType: 'tag',
    subjectId: change.tagId,
    actor: change.actor,
    detail: { from: change.from, to: change.to, contacts_changed: change.contactsChanged },
  })
}
