export const victims = ['worker 1', 'worker 2', 'contacts-consent', 'nats-server', 'database sessions'] as const
export type Victim = (typeof victims)[number]

export interface Kill {
  victim: Victim
  /** the share of the recipients that the provider has accepted by then */
  atShare: number
  /** how long after that, so that nothing is killed only when an answer has just left */
  delayMs: number
}

const [firstShare, lastShare] = [0.02, 0.85]
const delayMaxMs = 1_500

/** The plan of the kills: every part equally often, in an order and at times that the seed decides. */
export function planKills({ seed, kills }: { seed: number; kills: number }): Kill[] {
  const random = numbersFrom(seed)
  const shares = Array.from({ length: kills }, () => firstShare + random() * (lastShare - firstShare)).sort(
    (one, other) => one - other,
  )
  const order: Victim[] = []
  while (order.length < kills) order.push(...shuffled(victims, random))
  return shares.map((atShare, index) => ({
    victim: order[index]!,
    atShare,
    delayMs: Math.round(random() * delayMaxMs),
  }))
}

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const left = [...items]
  return items.map(() => left.splice(Math.floor(random() * left.length), 1)[0]!)
}

/** Numbers from 0 to 1, always the same ones for a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
