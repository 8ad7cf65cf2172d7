import {
  ContactErasedSchema,
  MessagesErasedSchema,
  PersonalDataErasedSchema,
} from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { consumer, firstTime, publish, publishAll, type Received } from '@lettergate/events'
import { eraseRecipientAddresses, messageIdsOf, recordErasure } from '../contacts/erased-contact.entity.ts'
import { recordRefusals } from '../contacts/heard-refusal.entity.ts'
import type { Ctx } from '../ctx.ts'
import { dropPersonEvents } from '../person-events/owe-person-events.ts'
import { eraseTestSends, testAddressesWithoutContact } from '../testing/erase-test-sends.ts'
import { lockTestSendCaps } from '../testing/test-send-caps.ts'
import { isUuid } from '@lettergate/values/uuid'

const idsAtOnce = 1_000

/**
 * Removes the address of an erased contact from every message and sends the message ids to webhook-intake. Messages,
 * outcomes and counts stay by id. Pending recipients are skipped later, because contacts-consent no longer finds the
 * contact; an intent that was judged before is judged again.
 */
export const onContactErased = consumer({
  name: 'on-contact-erased',
  from: 'contacts-consent',
  event: ContactErasedSchema,
  async handle(ctx: Ctx, events) {
    for (const event of events) {
      if (!isUuid(event.data.contactId)) continue
      // Committed first: a concurrent snapshot, intent or test send either sees the erasure or has already written its rows.
      await ctx.tx(async (em) => {
        await recordErasure(em, ctx.workspaceId, event.data.contactId)
        await dropPersonEvents(em, ctx.workspaceId, event.data.contactId)
        await recordRefusals(em, ctx.workspaceId, [event.data.contactId])
      })
      const addresses = await erasedTestAddresses(ctx, event.data.erasureId)
      await ctx.tx((em) => erase(em, ctx.workspaceId, event, addresses), { statementTimeoutMs: 60_000 })
    }
  },
})

/** Returns the addresses of test sends that were made before this person was a contact. */
async function erasedTestAddresses(ctx: Ctx, erasureId: string): Promise<string[]> {
  const addresses = await ctx.tx((em) => testAddressesWithoutContact(em, ctx.workspaceId))
  const erased: string[] = []
  for (let at = 0; at < addresses.length; at += idsAtOnce) {
    const emails = addresses.slice(at, at + idsAtOnce)
    erased.push(...(await ctx.contacts.matchErasedAddresses(ctx, { erasureId, emails })).erased)
  }
  return erased
}

async function erase(
  em: Em,
  workspaceId: string,
  event: Received<typeof ContactErasedSchema>,
  addresses: readonly string[],
): Promise<void> {
  const [newEvents] = await firstTime(em, [event])
  if (!newEvents) return
  const { contactId, erasureId } = newEvents.data
  await lockTestSendCaps(em, workspaceId)
  const recipients = await eraseRecipientAddresses(em, workspaceId, { contactIds: [contactId] })
  const tests = await eraseTestSends(em, workspaceId, { contactId, addresses })
  const messageIds = [...(await messageIdsOf(em, workspaceId, contactId)), ...tests.ids]
  const parts = Math.max(1, Math.ceil(messageIds.length / idsAtOnce))
  await publishAll(
    em,
    MessagesErasedSchema,
    Array.from({ length: parts }, (_, index) => ({
      erasureId,
      messageIds: messageIds.slice(index * idsAtOnce, (index + 1) * idsAtOnce),
      part: index + 1,
      parts,
    })),
  )
  await publish(em, PersonalDataErasedSchema, {
    erasureId,
    service: 'campaigns-delivery',
    part: 1,
    parts: 1,
    removed: { run_recipients: recipients, test_sends: tests.erased },
  })
}
