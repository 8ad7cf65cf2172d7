import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { MergeTagRequest, MergeTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { sql, statement, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { ContactTag } from './contact-tag.entity.ts'
import { MergedTag } from './merged-tag.entity.ts'
import { countedTag, findTag, holdForChange, Tag, type TagRow } from './tag.entity.ts'
import { notFound, pathId } from '../values/ids.ts'
import { parseTag } from './tag-names.ts'

/** The statement timeout of a merge. A merge of a million contacts takes longer than the usual timeout. */
const statementTimeoutMs = 120_000

/**
 * Merges one tag into another, for all contacts in one transaction. Contacts with both keep one. It fires no trigger. A merge
 * continues after its caller times out.
 */
export async function mergeTag(ctx: Ctx, req: MergeTagRequest): Promise<Reply<typeof MergeTagResponseSchema>> {
  const { workspaceId } = ctx
  const tagId = pathId('tag', req.tagId)
  const into = parseTag('into', req.into)

  return ctx.tx(
    async (em) => {
      const { from, to } = await holdBoth(em, workspaceId, tagId, into)
      const contactsChanged = await moveContacts(em, workspaceId, from, to)
      await replaceInCatalogue(em, workspaceId, from, to)
      await publish(em, AuditRecordedSchema, {
        action: 'tag_merged',
        subjectType: 'tag',
        subjectId: from.id,
        actor: ctx.caller.actor,
        detail: { from: from.name, to: to.name, contacts_changed: contactsChanged },
      })
      return { tag: await countedTag(em, workspaceId, to.id), contactsChanged, isComplete: true }
    },
    { statementTimeoutMs },
  )
}

/** Locks both tags, so that a merge and concurrent changes of contacts with these tags wait for each other. */
async function holdBoth(em: Em, workspaceId: string, tagId: string, into: string) {
  const target = await findTag(em, workspaceId, into)
  const held = await holdForChange(em, workspaceId, [tagId, target?.id ?? tagId])
  const from = held.find((tag) => tag.id === tagId)
  const to = held.find((tag) => tag.id === target?.id)
  if (!from) throw notFound('tag')
  if (!to) {
    throw new Fault('invalid_argument', 'into', 'into names no tag of this workspace. Send the name or id of one.')
  }
  if (to.id === from.id) {
    throw new Fault('invalid_argument', 'into', 'into is the tag itself. Send the name or id of another one.')
  }
  return { from, to }
}

const deleteDoubled = statement('delete-doubled-contact-tags')

/** Answers the number of contacts that had the tag. */
async function moveContacts(em: Em, workspaceId: string, from: TagRow, to: TagRow): Promise<number> {
  const hadBoth = await deleteDoubled.execute(
    em,
    sql`delete from contact_tags t where t.workspace_id = ${workspaceId} and t.tag_id = ${from.id}
           and exists (select 1 from contact_tags o where o.workspace_id = ${workspaceId} and o.tag_id = ${to.id}
                          and o.contact_id = t.contact_id)`,
  )
  const hadOne = await em.nativeUpdate(ContactTag, { workspaceId, tagId: from.id }, { tagId: to.id })
  return hadBoth + hadOne
}

/** The id of the merged tag, and all ids that refer to it, refer to the remaining tag from now on. */
async function replaceInCatalogue(em: Em, workspaceId: string, from: TagRow, to: TagRow): Promise<void> {
  await em.nativeUpdate(MergedTag, { workspaceId, intoId: from.id }, { intoId: to.id })
  await em.nativeDelete(Tag, { workspaceId, id: from.id })
  await em.insert(MergedTag, { workspaceId, id: from.id, intoId: to.id })
}
