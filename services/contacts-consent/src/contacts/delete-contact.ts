import type {
  DeleteContactRequest,
  DeleteContactResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_deletion'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { execute, row, sql } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { eraseEvidence } from '../consent-record/consent-evidence.entity.ts'
import { hashPlatformAddress } from '../suppressions/platform-suppression.entity.ts'
import { notFound, pathId } from '../values/ids.ts'

/**
 * Removes a contact with its sources, provenance, memberships and the evidence of its consent. The consent record stays
 * and names nobody any more.
 * If it was the last contact with the address of a person who was erased elsewhere, the address goes too.
 * Whoever was ever suppressed stays, so that a new contact of the same address is not mailed by mistake; whether
 * messages went to the contact is asked by the gateway beforehand.
 */
export async function deleteContact(
  ctx: Ctx,
  req: DeleteContactRequest,
): Promise<Reply<typeof DeleteContactResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)

  await ctx.tx(async (em) => {
    const held = await row<{ normalized_email: string }>(
      em,
      sql`select normalized_email from contacts where workspace_id = ${workspaceId} and id = ${contactId} for update`,
    )
    if (!held) throw notFound('contact')
    const suppression = await row<{ id: string; scope: string }>(
      em,
      sql`select id, scope from suppressions where workspace_id = ${workspaceId} and contact_id = ${contactId}
           order by id limit 1`,
    )
    if (suppression) {
      throw new Fault(
        'failed_precondition',
        'contact_suppressed',
        `This contact has a suppression of ${suppression.scope} scope, ${suppression.id}. Who was ever suppressed is kept, also after it was resolved.`,
      )
    }
    await eraseEvidence(em, contactId, 'contact_deleted')
    await execute(em, sql`delete from contacts where workspace_id = ${workspaceId} and id = ${contactId}`)
    await hashPlatformAddress(em, ctx.config.erasureHashKeys, held.normalized_email)
    await publish(em, AuditRecordedSchema, {
      action: 'contact_deleted',
      subjectType: 'contact',
      subjectId: contactId,
      actor: ctx.caller.actor,
      detail: {},
    })
  })
  return { deleted: true }
}
