import type { PreparedRecipient } from '@lettergate/contracts/contacts/v1/contacts'
import type { LinkBases } from '@lettergate/contracts/contacts/v1/preference_links'
import { column, sql, statement } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { requireLinks } from './message-content.ts'
import type { JudgedAt } from './send-messages.ts'

const readClock = statement('read-clock-before-verdicts', { now: column.timestamptz() })

/** The time now. Call it before the conditions or verdicts of messages are requested. */
export async function judgingNow(ctx: Ctx): Promise<JudgedAt> {
  const ms = performance.now()
  const clock = await ctx.tx((em) => readClock.row(em, sql`select clock_timestamp() as now`))
  return { databaseTime: clock!.now, ms }
}

/**
 * Requests the current verdict of each contact for an audience from contacts-consent, in this order, and the links of their
 * messages.
 */
export async function requestVerdicts(
  ctx: Ctx,
  recipients: { contactId: string; audienceId: string }[],
  tokens: string[],
): Promise<{ verdicts: PreparedRecipient[]; links: LinkBases }> {
  const { recipients: verdicts, linkBases } = await ctx.contacts.prepareRecipients(
    ctx,
    { recipients, tokens },
    { timeoutMs: 10_000 },
  )
  if (
    verdicts.length !== recipients.length ||
    verdicts.some(({ contactId }, index) => contactId !== recipients[index]!.contactId)
  )
    throw new Error('contacts-consent answered for other contacts than requested')
  return { verdicts, links: requireLinks(linkBases) }
}
