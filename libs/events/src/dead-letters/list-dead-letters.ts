import type {
  ListDeadLettersRequest,
  ListDeadLettersResponseSchema,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { kyselyOf } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { DeadLetter, states } from './dead-letter.entity.ts'
import { shownDeadLetter } from './dead-letter-row.ts'

/** The list name in cursors. */
export const listName = 'dead-letters'

/** One page of the dead letters of this service, newest first, including replayed and discarded ones. */
export async function listDeadLetters(
  ctx: DeadLettersCtx,
  { consumer, state, cursor, limit: given }: ListDeadLettersRequest,
): Promise<Reply<typeof ListDeadLettersResponseSchema>> {
  const limit = parseLimit(given)
  const after = parseCursor(listName, cursor)
  if (state !== undefined && !isState(state))
    throw new Fault('invalid_argument', 'state', `state must be one of ${states.join(', ')}.`)
  const found = await ctx.tx((em) => {
    let query = kyselyOf(em, DeadLetter)
      .selectFrom('dead_letters')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit + 1)
    if (after !== null) query = query.where('id', '<', after)
    if (consumer !== undefined) query = query.where('consumer', '=', consumer)
    if (isState(state)) query = query.where('state', '=', state)
    return query.execute()
  })
  const { page, nextCursor } = pageOf(listName, found, limit)
  return { deadLetters: page.map((deadLetter) => shownDeadLetter(ctx.service, deadLetter)), nextCursor }
}

const isState = (given: string | undefined): given is (typeof states)[number] => states.some((known) => known === given)
