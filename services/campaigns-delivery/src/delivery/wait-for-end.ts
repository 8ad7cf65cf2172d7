import { column, nullable, sql, statement } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { retryWrite } from './retry-write.ts'

const selectState = statement('select-transaction-state', { state: nullable(column.text()) })

/**
 * Waits until a transaction of the database whose session was lost is committed or rolled back: the server may still be
 * committing it, and what it stored cannot be seen before. Throws if it is not over within 20 s.
 */
export const waitForEnd = (ctx: Pick<Ctx, 'log' | 'tx'>, transactionId: string): Promise<void> =>
  retryWrite(ctx.log, async () => {
    const found = await ctx.tx((em) => selectState.row(em, sql`select pg_xact_status(${transactionId}::xid8) as state`))
    if (found!.state === 'in progress') throw new Error('the transaction of a lost session is not over yet')
  })
