import { forgetTokens } from '../db/consumed-tokens.ts'
import type { Ctx } from '../ctx.ts'

/** Keeps the token table as small as a day's events. */
export async function forgetConsumedTokens(ctx: Ctx): Promise<void> {
  const forgotten = await ctx.tx((em) => forgetTokens(em), { statementTimeoutMs: 60_000 })
  if (forgotten > 0) ctx.log.info({ forgotten }, 'old signature tokens forgotten')
}
