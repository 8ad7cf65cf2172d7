import { timestampDate } from '@bufbuild/protobuf/wkt'
import { MessageSettledSchema, type SettledMessage } from '@lettergate/contracts/events/v1/events'
import { kyselyOf, type Em } from '@lettergate/database'
import { consumer, firstTime } from '@lettergate/events'
import { suppressContacts } from '../suppressions/suppress-contacts.ts'
import { withdrawConsent } from './withdraw-consent.ts'
import type { Ctx } from '../ctx.ts'
import { lockContacts } from '../consent-record/lock-contacts.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { SuppressionReason } from '../suppressions/suppression.ts'
import { Audience } from '../audiences/audience.entity.ts'

const provider = { actor: 'provider', actorKind: 'provider' } as const
const source = 'provider_event'

/** The facts that suppress a contact in the whole workspace. */
const suppressing = new Map<string, SuppressionReason>([
  ['hard_bounced', 'hard_bounce'],
  ['complained', 'complaint'],
])

const evidenceOf = (message: SettledMessage) => ({
  message_id: message.messageId,
  ...(message.automationId === '' ? {} : { automation_id: message.automationId }),
  ...(message.runId === '' ? {} : { run_id: message.runId }),
  provider_event_id: message.providerEventId,
})

const occurredAt = (message: SettledMessage) =>
  message.occurredAt ? { occurredAt: timestampDate(message.occurredAt) } : {}

async function existingAudiences(em: Em, workspaceId: string, ids: readonly string[]): Promise<Set<string>> {
  const found = await kyselyOf(em, Audience)
    .selectFrom('audiences')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Set(found.map((audience) => audience.id))
}

/**
 * Creates suppressions from provider events: a hard bounce or complaint suppresses the contact in the workspace, an unsubscribe
 * withdraws it from the audience of the message. Unknown contacts are skipped.
 */
export const onMessageSettled = consumer({
  name: 'on-message-settled',
  from: 'campaigns-delivery',
  event: MessageSettledSchema,
  batch: 100,
  async handle(ctx: Ctx, events) {
    const { workspaceId } = ctx
    const { unresolved, withdrawn } = await ctx.tx(async (em) => {
      const messages = (await firstTime(em, events))
        .flatMap((event) => event.data.messages)
        .filter(({ fact, contactId }) => (suppressing.has(fact) || fact === 'unsubscribed') && isUuid(contactId))
      if (messages.length === 0) return { unresolved: [], withdrawn: 0 }

      const contacts = await lockContacts(
        em,
        workspaceId,
        messages.map((message) => message.contactId),
      )
      const known = messages.filter((message) => contacts.has(message.contactId))
      const leaving = known.filter(({ fact, audienceId }) => fact === 'unsubscribed' && isUuid(audienceId))
      const audiences = await existingAudiences(
        em,
        workspaceId,
        leaving.map((message) => message.audienceId),
      )
      const context = { workspaceId, by: provider, now: ctx.now() }

      const suppressed = await suppressContacts(
        em,
        context,
        known.flatMap((message) => {
          const reason = suppressing.get(message.fact)
          if (!reason) return []
          const { contactId } = message
          return [
            {
              contactId,
              scope: 'workspace',
              audienceId: null,
              reason,
              source,
              evidence: evidenceOf(message),
              ...occurredAt(message),
            },
          ]
        }),
      )
      const withdrawals = leaving
        .filter((message) => audiences.has(message.audienceId))
        .map((message) => ({
          contactId: message.contactId,
          audienceId: message.audienceId,
          source,
          evidence: evidenceOf(message),
          ...occurredAt(message),
        }))
      const unsubscribed = await withdrawConsent(em, context, withdrawals)
      return { unresolved: [...suppressed, ...unsubscribed], withdrawn: withdrawals.length }
    })
    ctx.metrics.suppressed(unresolved.filter((one) => one.is_new))
    if (withdrawn > 0) ctx.metrics.unsubscribed('provider', withdrawn)
  },
})
