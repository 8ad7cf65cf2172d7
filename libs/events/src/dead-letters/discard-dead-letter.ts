import type {
  DiscardDeadLetterRequest,
  DiscardDeadLetterResponseSchema,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { kyselyOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { InboxEvent } from '../inbox-event.entity.ts'
import { audit } from './audit.ts'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { DeadLetter } from './dead-letter.entity.ts'
import { endAlertWithLast } from './store-dead-letter.ts'
import { lockDeadLetter, requireDeadLetter, shownDeadLetter } from './dead-letter-row.ts'

const reasonCharsMax = 500

/**
 * Discards an event with a reason. It writes the inbox row, so the event is skipped if it is delivered again. Safe to repeat:
 * the first reason stays. It cancels a replay that has not started. If the replay has started, it throws Fault
 * `failed_precondition`.
 */
export async function discardDeadLetter(
  ctx: DeadLettersCtx,
  { deadLetterId, reason: given }: DiscardDeadLetterRequest,
): Promise<Reply<typeof DiscardDeadLetterResponseSchema>> {
  const reason = given.trim()
  if (reason === '' || reason.length > reasonCharsMax)
    throw new Fault('invalid_argument', 'reason', `reason must have 1 to ${reasonCharsMax} characters.`)
  const deadLetter = await ctx.tx(async (em) => {
    const { deadLetter: found, isLocked } = await lockDeadLetter(em, deadLetterId)
    if (!isLocked)
      throw new Fault('failed_precondition', 'replaying', 'This event is being replayed. Ask again when that is over.')
    if (found.state === 'replayed')
      throw new Fault('failed_precondition', 'replayed', 'This event was replayed and has had its effect.')
    if (found.state === 'discarded') return found
    await kyselyOf(em, DeadLetter)
      .updateTable('dead_letters')
      .set({ replay_requested_at: null, discarded_at: ctx.now(), discard_reason: reason })
      .where('id', '=', found.id)
      .execute()
    await kyselyOf(em, InboxEvent)
      .insertInto('inbox')
      .values({ consumer: found.consumer, event_id: found.event_id })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await endAlertWithLast(em, found.consumer)
    await audit(em, ctx, found, { action: 'dead_letter_discarded', reason })
    return requireDeadLetter(em, deadLetterId)
  })
  return { deadLetter: shownDeadLetter(ctx.service, deadLetter) }
}
