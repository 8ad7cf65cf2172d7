import { purge, resultOf, type Purged } from '@lettergate/database/purge'
import type { Ctx } from '../ctx.ts'
import { deleteOldTokens } from '../db/consumed-token.entity.ts'
import { deleteOldEvents } from '../db/provider-event.entity.ts'

/** Deletes old signature tokens and provider events in steps. Any number of replicas may run it. */
export async function purgeProviderEvents(ctx: Ctx): Promise<Purged['result']> {
  const days = ctx.config.providerEventKeepDays
  const tokens = await purge((most) => ctx.tx((em) => deleteOldTokens(em, most)))
  const events = await purge((most) => ctx.tx((em) => deleteOldEvents(em, { days, most })))
  if (tokens.deleted + events.deleted > 0)
    ctx.log.info(
      { tokens: tokens.deleted, events: events.deleted, days },
      'old provider events and signature tokens deleted',
    )
  return resultOf([tokens, events])
}
