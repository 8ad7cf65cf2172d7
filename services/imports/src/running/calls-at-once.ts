import { setImmediate as nextTurn } from 'node:timers/promises'

/** Calls to another service of which a few run at the same time. */
export interface CallsAtOnce {
  /**
   * Starts the call as soon as fewer than the limit run, and gives its request a turn of the event loop to leave: otherwise a caller
   * that goes on computing would delay it until it waits. Throws the error of an earlier call.
   */
  add(call: () => Promise<void>): Promise<void>
  /** Waits for all calls. Throws the first error. */
  finished(): Promise<void>
  /** Waits for all calls and throws nothing. Afterwards none of them is running. */
  settled(): Promise<void>
}

/** Runs at most `most` calls at once. After an error no further call starts. */
export function callsAtOnce(most: number): CallsAtOnce {
  const running = new Set<Promise<void>>()
  let failure: { error: unknown } | undefined
  const throwFailure = () => {
    if (failure) throw failure.error
  }
  const settled = async () => {
    await Promise.all(running)
  }
  return {
    async add(call) {
      while (running.size >= most) await Promise.race(running)
      throwFailure()
      const made = call()
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => running.delete(made))
      running.add(made)
      await nextTurn()
    },
    async finished() {
      await settled()
      throwFailure()
    },
    settled,
  }
}
