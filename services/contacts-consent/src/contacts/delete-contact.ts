import type {
  DeleteContactRequest,
  DeleteContactResponseSchema,
} from '@lettergate/contracts/contacts/v1/contact_deletion'
import { AuditRecordedSchema, ContactDeletedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { eraseEvidence } from '../consent-record/consent-evidence.entity.ts'
import { keepHashAgain } from '../erasure/erasure.entity.ts'
import { hashPlatformAddress } from '../suppressions/platform-suppression.entity.ts'
import { hashAddress } from '../values/address-hash.ts'
import { notFound, pathId } from '../values/ids.ts'
import { Contact } from './contact.entity.ts'
import { Suppression } from '../suppressions/suppression.entity.ts'

/**
 * Deletes a contact with its sources, provenance, memberships and consent evidence. The consent record stays, without personal
 * data. If the person was erased before, the keyed hash of the address is stored again. If it was the last contact with the address
 * of a person who was erased elsewhere, the address is deleted too. A contact that was ever suppressed cannot be deleted, so that a new contact with the same address is not mailed by mistake. The gateway
 * first checks whether messages were sent to the contact.
 */
export async function deleteContact(
  ctx: Ctx,
  req: DeleteContactRequest,
): Promise<Reply<typeof DeleteContactResponseSchema>> {
  const { workspaceId } = ctx
  const { erasureHashKeys } = ctx.config
  const contactId = pathId('contact', req.contactId)

  await ctx.tx(async (em) => {
    const held = await kyselyOf(em, Contact)
      .selectFrom('contacts')
      .select('normalized_email')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', contactId)
      .forUpdate()
      .executeTakeFirst()
    if (!held) throw notFound('contact')
    const suppression = await em.findOne(Suppression, { workspaceId, contactId }, { orderBy: { id: 'asc' } })
    if (suppression) {
      throw new Fault(
        'failed_precondition',
        'contact_suppressed',
        `This contact has a suppression of ${suppression.scope} scope, ${suppression.id}. A contact that was ever suppressed cannot be deleted, even after the suppression was resolved.`,
      )
    }
    await eraseEvidence(em, contactId, 'contact_deleted')
    await em.nativeDelete(Contact, { workspaceId, id: contactId })
    await keepHashAgain(em, workspaceId, contactId, hashAddress(erasureHashKeys, workspaceId, held.normalized_email))
    await hashPlatformAddress(em, erasureHashKeys, held.normalized_email)
    await publish(em, ContactDeletedSchema, { contactId })
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
