/** Called when the entry starts, with the function that ends it. */
type QueuedStart = (end: () => void) => void

export interface FairQueue {
  /** Number of waiting entries. */
  readonly waiting: number
  /**
   * Waits for a place and resolves with the function that frees it. Undefined when the queue is full. Rejects when the
   * signal aborts.
   */
  take(key: string, signal: AbortSignal): Promise<() => void> | undefined
}

/**
 * A fair queue: keys take turns, and with two or more places one key never has all of them. One key may fill at most three
 * quarters of the queue.
 */
export function openFairQueue({ places, waitingMax }: { places: number; waitingMax: number }): FairQueue {
  const placesOfOne = Math.max(1, places - 1)
  const waitingOfOne = Math.ceil((waitingMax * 3) / 4)
  const running = new Map<string, number>()
  /** in the order of their turns */
  const queues = new Map<string, QueuedStart[]>()
  let under = 0
  let waiting = 0

  const mayBegin = (key: string) => under < places && (running.get(key) ?? 0) < placesOfOne

  function begin(key: string): () => void {
    under += 1
    running.set(key, (running.get(key) ?? 0) + 1)
    return () => {
      under -= 1
      const left = running.get(key)! - 1
      if (left === 0) running.delete(key)
      else running.set(key, left)
      next()
    }
  }

  function next(): void {
    for (const [key, queue] of queues) {
      if (!mayBegin(key)) continue
      queues.delete(key)
      const first = queue.shift()!
      waiting -= 1
      // moves the key to the end
      if (queue.length > 0) queues.set(key, queue)
      first(begin(key))
      return next()
    }
  }

  function wait(key: string, signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const queue = queues.get(key)!.filter((other) => other !== mine)
        waiting -= 1
        if (queue.length === 0) queues.delete(key)
        else queues.set(key, queue)
        reject(signal.reason as Error)
      }
      const mine: QueuedStart = (end) => {
        signal.removeEventListener('abort', leave)
        resolve(end)
      }
      queues.set(key, [...(queues.get(key) ?? []), mine])
      waiting += 1
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    get waiting() {
      return waiting
    },
    take(key, signal) {
      if (mayBegin(key)) return Promise.resolve(begin(key))
      if (waiting >= waitingMax || (queues.get(key)?.length ?? 0) >= waitingOfOne) return undefined
      return wait(key, signal)
    },
  }
}
