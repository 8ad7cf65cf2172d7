import type { UpsertContactRequest, UpsertContactResponseSchema } from '@lettergate/contracts/contacts/v1/contacts'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { contactMessage } from './contact.entity.ts'
import { definitionsInForce } from '../custom-fields/field-definition.entity.ts'
import { parseContactWrite } from './contact-write.ts'
import { customFieldKeys, noChange, parseCustomFields } from '../custom-fields/custom-fields.ts'

/**
 * Creates or changes the contact with this address and appends its provenance. Safe to repeat, also concurrently: one address is
 * one contact. Fires no trigger. With `create_only`, throws Fault `conflict` `contact_exists` for a known address. A resolved doubt about a legacy contact is audited.
 */
export async function upsertContact(
  ctx: Ctx,
  req: UpsertContactRequest,
): Promise<Reply<typeof UpsertContactResponseSchema>> {
  const { workspaceId } = ctx
  const write = parseContactWrite(req, ctx.now())
  const given = write.named.includes('custom_fields') ? (req.customFields ?? {}) : {}
  const keys = customFieldKeys(given)
  const custom =
    keys.length === 0
      ? noChange
      : parseCustomFields(given, await ctx.tx((em) => definitionsInForce(em, workspaceId, keys)))

  const { actor, actorKind, correlationId } = ctx.caller
  const written = await ctx.contactWriter.add({
    workspaceId,
    tx: (work) => ctx.tx(work),
    item: { ...write, custom, actor, actor_kind: actorKind, correlation_id: correlationId, trace: carrier() },
  })
  return { contact: contactMessage(written), created: written.created }
}
