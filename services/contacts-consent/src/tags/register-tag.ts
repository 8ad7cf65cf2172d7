import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type { RegisterTagRequest, RegisterTagResponseSchema } from '@lettergate/contracts/contacts/v1/tags'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { runningTagChange } from './tag-change.entity.ts'
import { countedTag, registerName } from './tag.entity.ts'
import { parseTag } from './tag-names.ts'

/** Puts a name into the catalogue. Fault `conflict` when it is there, or is on its way out of it. */
export async function registerTag(ctx: Ctx, req: RegisterTagRequest): Promise<Reply<typeof RegisterTagResponseSchema>> {
  const { workspaceId } = ctx
  const name = parseTag('name', req.name)
  const tag = await ctx.tx(async (em) => {
    const running = await runningTagChange(em, workspaceId)
    const registered = running?.from === name ? undefined : await registerName(em, workspaceId, name)
    if (!registered) throw new Fault('conflict', 'name', 'A tag with this name exists already. Choose another name.')
    await publish(em, AuditRecordedSchema, {
      action: 'tag_registered',
      subjectType: 'tag',
      subjectId: registered.id,
      actor: ctx.caller.actor,
      detail: { name },
    })
    return countedTag(em, workspaceId, registered.id)
  })
  return { tag }
}
