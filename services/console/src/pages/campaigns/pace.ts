import { spanOf } from '../../parts/duration.ts'

export interface PaceSample {
  at: number
  sent: number
}

/** The samples of the last half minute with a new one; an answer that came once more is no new one. */
export const withSample = (before: readonly PaceSample[], sample: PaceSample): readonly PaceSample[] =>
  before.at(-1)?.at === sample.at ? before : [...before.filter(({ at }) => sample.at - at < 30_000), sample]

/** The rate between the oldest and the newest sample, and the time for what is left, if anything is sent. */
export function paceOf(samples: readonly PaceSample[], left: number): { rate?: string; timeLeft?: string } {
  const [oldest, newest] = [samples[0], samples.at(-1)]
  if (!oldest || !newest || newest.sent < oldest.sent || newest.at <= oldest.at) return {}
  if (newest.sent === oldest.sent) return { rate: '0 a minute' }
  const perSecond = ((newest.sent - oldest.sent) * 1_000) / (newest.at - oldest.at)
  const rate =
    perSecond >= 1
      ? `${Math.round(perSecond).toLocaleString('en')} a second`
      : `${Math.round(perSecond * 60).toLocaleString('en')} a minute`
  return { rate, timeLeft: `about ${spanOf(left / perSecond) || 'a moment'}` }
}
