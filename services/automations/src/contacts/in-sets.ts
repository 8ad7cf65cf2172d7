/** Most contacts or steps in one call. */
const setMax = 200

/** These items in sets of at most `max` (200), in their order. */
export const inSets = <T>(items: readonly T[], max = setMax): T[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, n) => items.slice(n * max, (n + 1) * max))
