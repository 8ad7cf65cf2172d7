const firstMs = 1_000
const longestMs = 300_000
/** After an outage the items continue soon. */
const longestOfOutageMs = 5_000

/** The delay of an item after its nth consecutive failure (the first is 1), in milliseconds. */
export const retryInMs = (failures: number, isOutage: boolean): number =>
  Math.min(isOutage ? longestOfOutageMs : longestMs, firstMs * 2 ** Math.min(failures - 1, 20))
