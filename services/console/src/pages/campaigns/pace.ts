import { spanOf } from '../../parts/duration.ts'

export interface PaceSample {
  at: number
  sent: number
}

/** The rate between the oldest and the newest sample, and the time for what is left. Nothing without two different samples. */
export function paceOf(samples: readonly PaceSample[], left: number): { rate?: string; timeLeft?: string } {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.sent <= oldest.sent || newest.at <= oldest.at) return {}
  const perSecond = ((newest.sent - oldest.sent) * 1_000) / (newest.at - oldest.at)
  const rate =
    perSecond >= 1
      ? `${Math.round(perSecond).toLocaleString('en')} a second`
      : `${Math.round(perSecond * 60).toLocaleString('en')} a minute`
  return { rate, timeLeft: `about ${spanOf(left / perSecond) || 'a moment'}` }
}
