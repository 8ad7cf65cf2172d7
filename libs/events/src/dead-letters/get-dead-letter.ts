import type {
  GetDeadLetterRequest,
  GetDeadLetterResponseSchema,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import type { Reply } from '@lettergate/rpc'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { requireDeadLetter, shownDeadLetter } from './dead-letter-row.ts'

/** One event that a consumer of this service could not handle. */
export async function getDeadLetter(
  ctx: DeadLettersCtx,
  { deadLetterId }: GetDeadLetterRequest,
): Promise<Reply<typeof GetDeadLetterResponseSchema>> {
  const deadLetter = await ctx.tx((em) => requireDeadLetter(em, deadLetterId))
  return { deadLetter: shownDeadLetter(ctx.service, deadLetter) }
}
