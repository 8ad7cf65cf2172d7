import type {
  ListDeadLettersRequest,
  ListDeadLettersResponseSchema,
} from '@lettergate/contracts/dead_letters/v1/dead_letters'
import { rows, sql } from '@lettergate/database'
import { pageOf, parseCursor, parseLimit } from '@lettergate/database/page'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { DeadLettersCtx } from './dead-letters-ctx.ts'
import { columns, shownDeadLetter, states, type DeadLetterRow } from './dead-letter-row.ts'

/** The name under which cursors of this list are made. */
export const listName = 'dead-letters'

/** Events that consumers of this service could not handle, newest first, a page at a time, those settled since then too. */
export async function listDeadLetters(
  ctx: DeadLettersCtx,
  { consumer, state, cursor, limit: given }: ListDeadLettersRequest,
): Promise<Reply<typeof ListDeadLettersResponseSchema>> {
  const limit = parseLimit(given)
  const after = parseCursor(listName, cursor)
  if (state !== undefined && !states.some((known) => known === state))
    throw new Fault('invalid_argument', 'state', `state must be one of ${states.join(', ')}.`)
  const found = await ctx.tx((em) =>
    rows<DeadLetterRow>(
      em,
      sql`select ${columns} from dead_letters
           where true ${after === null ? sql`` : sql`and id < ${after}::uuid`}
                 ${consumer === undefined ? sql`` : sql`and consumer = ${consumer}`}
                 ${state === undefined ? sql`` : sql`and state = ${state}`}
           order by id desc limit ${limit + 1}`,
    ),
  )
  const { page, nextCursor } = pageOf(listName, found, limit)
  return { deadLetters: page.map((letter) => shownDeadLetter(ctx.service, letter)), nextCursor }
}
