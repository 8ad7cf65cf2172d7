const gatherMsMax = 4
const callersPerMs = 4

/**
 * The time that a call waits for others with the same key, in milliseconds, by the number of callers of the previous call: none
 * for single callers, longer for more concurrent ones.
 */
export const gatherMs = (lastCallers: number): number =>
  Math.min(gatherMsMax, Math.floor(Math.max(0, lastCallers) / callersPerMs))
