const gatherMsMax = 4
const callersPerMs = 4

/**
 * How long a question waits for others who ask the same, milliseconds, by how many the last one served: nothing while
 * callers come one by one, longer the more of them come together.
 */
export const gatherMs = (lastCallers: number): number =>
  Math.min(gatherMsMax, Math.floor(Math.max(0, lastCallers) / callersPerMs))
