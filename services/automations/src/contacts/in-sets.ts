/** Most contacts or steps in one call. */
const setMax = 200

/** These items in sets of at most 200, in their order. */
export const inSets = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / setMax) }, (_, n) => items.slice(n * setMax, (n + 1) * setMax))
