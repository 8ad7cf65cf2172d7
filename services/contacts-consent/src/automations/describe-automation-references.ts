import type {
  DescribeAutomationReferencesRequest,
  DescribeAutomationReferencesResponseSchema,
} from '@lettergate/contracts/contacts/v1/automation_references'
import { kyselyOf, type Em } from '@lettergate/database'
import type { Reply } from '@lettergate/rpc'
import { isUuid } from '@lettergate/values/uuid'
import { activeMembers, AudienceMemberCount } from '../audiences/audience-member-count.entity.ts'
import { Audience } from '../audiences/audience.entity.ts'
import type { Ctx } from '../ctx.ts'
import { definitionsInForce } from '../custom-fields/field-definition.entity.ts'
import { countedTag, findTag } from '../tags/tag.entity.ts'

/** The named objects that this workspace has, with the stored numbers of their contacts. */
export async function describeAutomationReferences(
  ctx: Ctx,
  req: DescribeAutomationReferencesRequest,
): Promise<Reply<typeof DescribeAutomationReferencesResponseSchema>> {
  const { workspaceId } = ctx
  return ctx.tx(async (em) => ({
    audiences: await audiencesOf(em, workspaceId, req.audienceIds.filter(isUuid)),
    tags: await tagsOf(em, workspaceId, req.tags),
    fields: (await definitionsInForce(em, workspaceId, req.fieldKeys)).map(({ fieldKey, fieldType }) => ({
      fieldKey,
      fieldType,
    })),
  }))
}

async function audiencesOf(em: Em, workspaceId: string, ids: string[]) {
  const found = await kyselyOf(em, Audience, AudienceMemberCount)
    .selectFrom('audiences as a')
    .select((eb) => ['a.id', 'a.name', 'a.archived_at', activeMembers(eb)])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.id', '=', (eb) => eb.fn.any(eb.val(ids)))
    .orderBy('a.id')
    .execute()
  return found.map(({ id, name, archived_at: archivedAt, members }) => ({
    id,
    name,
    isArchived: archivedAt !== null,
    memberCount: Number(members ?? 0),
  }))
}

/** A definition has few tags, so each is looked up by itself, by its name or id as everywhere. */
async function tagsOf(em: Em, workspaceId: string, named: readonly string[]) {
  const found = []
  for (const name of named) {
    const tag = await findTag(em, workspaceId, name)
    if (tag) found.push({ named: name, ...(await countedTag(em, workspaceId, tag.id)) })
  }
  return found
}
