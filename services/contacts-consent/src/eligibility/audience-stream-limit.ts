import { Fault } from '@lettergate/fault'

/** Bounds how many audiences are streamed at once: each holds a connection for as long as it is read. */
export interface StreamPlaces {
  /** Answers how to give the place back; throws Fault `unavailable` when there is none. */
  take(): () => void
}

/** Of the connections for long work, those that streams never get. */
export const connectionsForExports = 2

export function openStreamPlaces(atOnce: number): StreamPlaces {
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
