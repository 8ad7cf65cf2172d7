import type {
  ReplayDeadLetterRequest,
  ReplayDeadLetterResponseSchema,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { kyselyOf } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { audit } from './audit.ts'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { DeadLetter } from './dead-letter.entity.ts'
import { lockDeadLetter, requireDeadLetter, shownDeadLetter } from './dead-letter-row.ts'

/**
 * Requests a replay. The process of the consumer handles the event again within seconds. Safe to repeat: it does not start a
 * second replay, and a replayed event stays replayed.
 */
export async function replayDeadLetter(
  ctx: DeadLettersCtx,
  { deadLetterId }: ReplayDeadLetterRequest,
): Promise<Reply<typeof ReplayDeadLetterResponseSchema>> {
  const deadLetter = await ctx.tx(async (em) => {
    const { deadLetter: found } = await lockDeadLetter(em, deadLetterId)
    if (found.state === 'discarded')
      throw new Fault(
        'failed_precondition',
        'discarded',
        'This event was discarded. A discarded event cannot be replayed.',
      )
    if (found.state !== 'dead') return found
    await kyselyOf(em, DeadLetter)
      .updateTable('dead_letters')
      .set({ replay_requested_at: ctx.now() })
      .where('id', '=', found.id)
      .execute()
    await audit(em, ctx, found, { action: 'dead_letter_replay_requested' })
    return requireDeadLetter(em, deadLetterId)
  })
  return { deadLetter: shownDeadLetter(ctx.service, deadLetter) }
}
