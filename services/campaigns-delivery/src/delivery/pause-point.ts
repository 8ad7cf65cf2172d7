import type { Ctx } from '../ctx.ts'

/** Where a crash test can stop a worker (DELIVERY_PAUSE_AT, refused in production). */
export type PausePoint = 'after_intent' | 'after_handoff'

/** Returns at once, unless the configuration stops the process at this point. Then it never returns. */
export async function pausePoint(ctx: Ctx, point: PausePoint): Promise<void> {
  if (ctx.config.deliveryPauseAt !== point) return
  ctx.log.warn({ point }, 'paused forever because of DELIVERY_PAUSE_AT')
  await new Promise(() => undefined)
}
