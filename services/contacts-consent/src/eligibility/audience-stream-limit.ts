import { Fault } from '@lettergate/fault'

/** Limits the number of concurrent audience streams, because each uses a connection while it is read. */
export interface StreamSlots {
  /** Returns the function that releases the slot. Throws Fault `unavailable` if none is free. */
  take(): () => void
}

/** The connections for long work that are reserved for exports. */
export const connectionsForExports = 2

export function openStreamSlots(atOnce: number): StreamSlots {
  let free = atOnce
  return {
    take() {
      if (free === 0)
        throw new Fault(
          'unavailable',
          'audience_streams',
          'As many audiences are being read as this service reads at once. Try again in a moment.',
        )
      free -= 1
      return () => void (free += 1)
    },
  }
}
