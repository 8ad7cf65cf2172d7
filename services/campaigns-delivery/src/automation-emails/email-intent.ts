import { randomInt } from 'node:crypto'
import type { SenderReadiness } from '@lettergate/contracts/sending/v1/sending'
import type { Em } from '@lettergate/database'
import { erasedAmong, lockErasures } from '../contacts/erased-contact.entity.ts'
import type { Ctx } from '../ctx.ts'
import { claim, type ConnectionLimits } from '../delivery/claim.ts'
import type { ClaimedHandOff, HandOffMessage } from '../delivery/hand-off.ts'
import { endMessages, type MessageEnd } from '../messages/message-fact.entity.ts'
import { lockStored, storeAudiences, type StoredEmail } from './automation-email.entity.ts'
import type { Waiting } from './email-results.ts'
import type { EmailSet } from './email-sets.ts'

/** The eligible messages of a set. */
export interface IntendedEmails {
  set: EmailSet
  messages: readonly HandOffMessage[]
  /** database time before the verdicts were requested */
  judgedAt: string
  sender: SenderReadiness
  limits: ConnectionLimits
}

export interface EmailIntent {
  handOffs: ClaimedHandOff[]
  /** of the messages, also of those that are not claimed yet */
  batch: number
  isTrial: boolean
  skipped: number
}

/** The messages wait. Nothing was stored. */
export class NotClaimed extends Error {
  override name = 'NotClaimed'
  readonly waiting: Waiting

  constructor(waiting: Waiting) {
    super(`the emails of a step wait: ${waiting.reason}`)
    this.waiting = waiting
  }
}

/** The verdicts are too old, or a recipient withdrew since; they must be requested again. Nothing was stored. */
export class VerdictsOutdated extends Error {
  override name = 'VerdictsOutdated'
}

/**
 * Stores the intent to hand over the messages of a set that are still pending. The row lock of each message lets one call
 * decide at a time. Contacts who were erased, or got a message within the minimum interval, are skipped. Throws when nothing
 * can be handed over now, so that the transaction stores nothing.
 */
export async function commitEmailIntent(em: Em, ctx: Ctx, intended: IntendedEmails): Promise<EmailIntent> {
  const { workspaceId } = ctx
  const { set, sender, judgedAt, limits } = intended
  const { automationId } = set
  // An erasure that is stored later finds these messages and reports them.
  await lockErasures(em, workspaceId)
  const { pending, batch } = await lockPending(em, ctx, set, intended.messages)
  const erased = await erasedAmong(
    em,
    workspaceId,
    pending.flatMap(({ contactId }) => contactId ?? []),
  )
  const messages = pending.filter(({ contactId }) => contactId === null || !erased.has(contactId))
  const claimed =
    messages.length === 0
      ? undefined
      : await claim(em, {
          workspaceId,
          kind: 'automation',
          originId: automationId,
          batch,
          messages,
          sender,
          judgedAt,
          limits,
          isSingles: set.isSingle,
        })
  if (claimed?.kind === 'outdated') throw new VerdictsOutdated()
  if (claimed?.kind === 'cooldown')
    throw new NotClaimed({
      reason: 'cooldown',
      retryInMs: Math.max(250, claimed.until.getTime() - ctx.now().getTime()),
    })
  if (claimed && claimed.kind !== 'claimed') throw new NotClaimed({ reason: claimed.kind, retryInMs: 1_000 })
  await storeAudiences(em, workspaceId, messages)
  const skipped = [
    ...pending.filter((message) => !messages.includes(message)).map(({ id }) => skip(id, 'contact_missing')),
    ...[...(claimed?.tooSoon ?? [])].map((id) => skip(id, 'minimum_interval_not_elapsed')),
  ]
  await endMessages(em, { workspaceId, originId: automationId }, skipped)
  return { handOffs: claimed?.handOffs ?? [], batch, isTrial: claimed?.isTrial ?? false, skipped: skipped.length }
}

const skip = (id: string, reason: string) => ({ id, end: 'skipped' as const, reasons: [reason] })

/** Locks the messages of a set and returns those that may be handed over, with the batch that they have or get. */
async function lockPending(
  em: Em,
  { workspaceId, caller }: Ctx,
  set: EmailSet,
  messages: readonly HandOffMessage[],
): Promise<{ pending: HandOffMessage[]; batch: number }> {
  const batch = set.batch ?? newBatch()
  const given = new Set(messages.map(({ id }) => id))
  const states = await lockStored(
    em,
    { workspaceId, batch, correlationId: caller.correlationId },
    set.emails.filter(({ stepId }) => given.has(stepId)),
  )
  return { pending: messages.filter(({ id }) => isPendingIn(states.get(id), batch)), batch }
}

/** A message that another call stored in the meantime has another batch and is handed over by a later call. */
const isPendingIn = (stored: StoredEmail | undefined, batch: number) =>
  stored?.state === 'pending' && stored.batch === batch

/** Any number: messages of different calls seldom share one, and then only their lookup reads a few more rows. */
const newBatch = () => randomInt(2 ** 31 - 1)

/** Stores the final state of messages that are not handed over, with the audience that was judged. Returns how many were stored. */
export async function storeEnds(
  em: Em,
  ctx: Ctx,
  set: EmailSet,
  ends: readonly { id: string; end: MessageEnd; audienceId: string | null; reasons: readonly string[] }[],
): Promise<number> {
  const { workspaceId, caller } = ctx
  const given = new Set(ends.map(({ id }) => id))
  const states = await lockStored(
    em,
    { workspaceId, batch: set.batch ?? newBatch(), correlationId: caller.correlationId },
    set.emails.filter(({ stepId }) => given.has(stepId)),
  )
  const pending = ends.filter(({ id }) => states.get(id)?.state === 'pending')
  await storeAudiences(em, workspaceId, pending)
  return endMessages(em, { workspaceId, originId: set.automationId }, pending)
}
