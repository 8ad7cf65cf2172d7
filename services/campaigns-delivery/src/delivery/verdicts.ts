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

/** Contacts in one request for verdicts. */
const requestedMax = 1_000

/**
 * Requests the current verdict of each contact for an audience from contacts-consent, in this order, and the links of their
 * messages.
 */
export async function requestVerdicts(
  ctx: Ctx,
  recipients: { contactId: string; audienceId: string }[],
  tokens: string[],
): Promise<{ verdicts: PreparedRecipient[]; links: LinkBases }> {
  const requests = [recipients.slice(0, requestedMax)]
  for (let from = requestedMax; from < recipients.length; from += requestedMax)
    requests.push(recipients.slice(from, from + requestedMax))
  const answers = await Promise.all(
    requests.map((part) => ctx.contacts.prepareRecipients(ctx, { recipients: part, tokens }, { timeoutMs: 10_000 })),
  )
  const verdicts = answers.flatMap((answer) => answer.recipients)
  if (
    verdicts.length !== recipients.length ||
    verdicts.some(({ contactId }, index) => contactId !== recipients[index]!.contactId)
  )
    throw new Error('contacts-consent answered for other contacts than requested')
  return { verdicts, links: requireLinks(answers[0]!.linkBases) }
}
