import type { EraseContactRequest, EraseContactResponseSchema } from '@lettergate/contracts/contacts/v1/erasures'
import { AuditRecordedSchema, ContactErasedSchema } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { suppressContacts } from '../suppressions/suppress-contacts.ts'
import type { Ctx } from '../ctx.ts'
import { findErasureOfContact, insertErasure, keepPart } from '../erasure/erasure.entity.ts'
import { hashPlatformAddress } from '../suppressions/platform-suppression.entity.ts'
import { hashAddress } from '../values/address-hash.ts'
import { notFound, pathId } from '../values/ids.ts'
import { erasePersonalDetails } from './erase-personal-details.ts'
import { erasureReply } from '../erasure/erasure-reply.ts'
import { Contact } from './contact.entity.ts'

/**
 * Erases one person. The data of this service is deleted in one transaction, which also publishes an event for the other
 * services. Earlier suppressions and a new workspace suppression with reason `legal` stay. A keyed hash finds them if the address
 * is added again. Safe to repeat: it answers the existing erasure.
 */
export async function eraseContact(
  ctx: Ctx,
  req: EraseContactRequest,
): Promise<Reply<typeof EraseContactResponseSchema>> {
  const { workspaceId } = ctx
  const contactId = pathId('contact', req.contactId)
  requireConfirmation(req.confirmation, contactId)

  const done = await ctx.tx(async (em) => {
    const address = await holdAddress(em, workspaceId, contactId)
    const known = await findErasureOfContact(em, workspaceId, contactId)
    if (known) return { erasure: await erasureReply(em, workspaceId, known), suppressed: [] }
    if (address === undefined) throw notFound('contact')
    const suppressed = await erase(em, ctx, { contactId, address })
    const made = await findErasureOfContact(em, workspaceId, contactId)
    return { erasure: await erasureReply(em, workspaceId, made!), suppressed }
  })
  ctx.metrics.suppressed(done.suppressed.filter((one) => one.is_new))
  return { erasure: done.erasure }
}

function requireConfirmation(given: string, contactId: string): void {
  const expected = `ERASE ${contactId}`
  if (given !== expected)
    throw new Fault('invalid_argument', 'confirmation', `confirmation must be exactly: ${expected}`)
}

/** The address of a contact, locked until the transaction ends; undefined if the contact does not exist. */
async function holdAddress(em: Em, workspaceId: string, contactId: string): Promise<string | undefined> {
  const held = await kyselyOf(em, Contact)
    .selectFrom('contacts')
    .select('normalized_email')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .forUpdate()
    .executeTakeFirst()
  return held?.normalized_email
}

async function erase(em: Em, ctx: Ctx, { contactId, address }: { contactId: string; address: string }) {
  const { workspaceId, caller, config } = ctx
  const id = newId()
  // Before the contact is deleted, so that the suppression is in the consent record.
  const suppressed = await suppressContacts(em, { workspaceId, by: caller, now: ctx.now() }, [
    { contactId, scope: 'workspace', audienceId: null, reason: 'legal', source: 'erasure' },
  ])
  const removed = await erasePersonalDetails(em, workspaceId, contactId)
  await hashPlatformAddress(em, config.erasureHashKeys, address)
  const hash = hashAddress(config.erasureHashKeys, workspaceId, address)
  await insertErasure(em, workspaceId, { id, contactId, requestedBy: caller.actor, hash })
  await keepPart(em, workspaceId, id, {
    service: 'contacts-consent',
    part: 1,
    parts: 1,
    removed,
  })
  await publish(em, ContactErasedSchema, { erasureId: id, contactId })
  await publish(em, AuditRecordedSchema, {
    action: 'contact_erased',
    subjectType: 'contact',
    subjectId: contactId,
    actor: caller.actor,
    detail: { erasure_id: id },
  })
  return suppressed
}
