import { gatherMs } from './gather.ts'

interface Asking<T> {
  hasBegun: boolean
  answer: Promise<T>
  callers: number
  /** for callers who came after the call started */
  next: Promise<T> | undefined
  nextCallers: number
}

/**
 * Shares one call between concurrent callers with the same key. Callers in one turn of the event loop share one call, and a
 * caller during a call waits for the next one. So a call always starts after each of its callers, and its result is never older
 * than the request. With `isGathering` a call waits up to 4 ms for more callers if the last one was shared by many.
 */
export function coalesced<T>({ isGathering = false } = {}): (key: string, ask: () => Promise<T>) => Promise<T> {
  const asking = new Map<string, Asking<T>>()
  /** the number of callers of the last call */
  let lastCallers = 1

  function begin(key: string, ask: () => Promise<T>, callers: number): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>()
    const mine: Asking<T> = { hasBegun: false, answer: promise, callers, next: undefined, nextCallers: 0 }
    asking.set(key, mine)
    const start = () => {
      mine.hasBegun = true
      lastCallers = mine.callers
      resolve(ask())
    }
    const waitMs = isGathering ? gatherMs(lastCallers) : 0
    if (waitMs > 0) setTimeout(start, waitMs)
    else setImmediate(start)
    const after = () => {
      if (mine.next === undefined && asking.get(key) === mine) asking.delete(key)
    }
    promise.then(after, after)
    return promise
  }

  return (key, ask) => {
    const current = asking.get(key)
    if (!current) return begin(key, ask, 1)
    if (!current.hasBegun) {
      current.callers += 1
      return current.answer
    }
    current.nextCallers += 1
    const again = () => begin(key, ask, current.nextCallers)
    return (current.next ??= current.answer.then(again, again))
  }
}
