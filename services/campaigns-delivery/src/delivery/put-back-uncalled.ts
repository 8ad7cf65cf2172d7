import { endTrial } from '../connections/connection-hold.entity.ts'
import type { Ctx } from '../ctx.ts'
import { putBack } from './put-back.ts'
import { retryWrite } from './retry-write.ts'
import type { HandOffCall } from './settle.ts'

/** Puts back the messages of a hand-off whose call was not made. If it was a trial, another call may be tried at once. */
export const putBackUncalled = (ctx: Ctx, { handOff, route, isTrial }: HandOffCall, reason: string): Promise<void> =>
  retryWrite(ctx.log, () =>
    ctx.tx(async (em) => {
      const isPutBack = await putBack(em, ctx.origins, handOff, { reason, dueAt: null })
      if (isPutBack && isTrial) await endTrial(em, route)
    }),
  )
