const firstMs = 1_000
const longestMs = 300_000
/** What is away comes back, and then nobody should wait for long. */
const longestOfOutageMs = 5_000

/** How long an item of a job waits after its nth failure in a row (1 is the first), in milliseconds. */
export const retryInMs = (failures: number, isOutage: boolean): number =>
  Math.min(isOutage ? longestOfOutageMs : longestMs, firstMs * 2 ** Math.min(failures - 1, 20))
