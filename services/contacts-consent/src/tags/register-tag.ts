import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { RegisterTagRequest, RegisterTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { registerNames } from './tag.entity.ts'
import { parseTag } from './tag-names.ts'

/** Adds a tag to the catalogue. Throws Fault `conflict` if the name exists. */
export async function registerTag(ctx: Ctx, req: RegisterTagRequest): Promise<Reply<typeof RegisterTagResponseSchema>> {
  const name = parseTag('name', req.name)
  const tag = await ctx.tx(async (em) => {
    const [registered] = await registerNames(em, ctx.workspaceId, [name])
    if (!registered) throw new Fault('conflict', 'name', 'A tag with this name exists already. Choose another name.')
    await publish(em, AuditRecordedSchema, {
      action: 'tag_registered',
      subjectType: 'tag',
      subjectId: registered.id,
      actor: ctx.caller.actor,
      detail: { name },
    })
    return { ...registered, contactCount: 0 }
  })
  return { tag }
}
