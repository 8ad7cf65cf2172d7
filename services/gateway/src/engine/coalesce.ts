interface Asking<T> {
  hasBegun: boolean
  answer: Promise<T>
  /** for callers who came after the call started */
  next: Promise<T> | undefined
}

/**
 * Shares one call between concurrent callers with the same key. Callers in one turn of the event loop share one call, and a
 * caller during a call waits for the next one. So a call always starts after each of its callers, and its result is never older
 * than the request.
 */
export function coalesced<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
  const asking = new Map<string, Asking<T>>()

  function begin(key: string, ask: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<T>()
    const mine: Asking<T> = { hasBegun: false, answer: promise, next: undefined }
    asking.set(key, mine)
    setImmediate(() => {
      mine.hasBegun = true
      resolve(ask())
    })
    const after = () => {
      if (mine.next === undefined && asking.get(key) === mine) asking.delete(key)
    }
    promise.then(after, after)
    return promise
  }

  return (key, ask) => {
    const current = asking.get(key)
    if (!current) return begin(key, ask)
    if (!current.hasBegun) return current.answer
    const again = () => begin(key, ask)
    return (current.next ??= current.answer.then(again, again))
  }
}
