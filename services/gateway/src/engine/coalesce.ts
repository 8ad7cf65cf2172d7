interface Asking<T> {
  hasBegun: boolean
  answer: Promise<T>
  /** for those who came after it began */
  next: Promise<T> | undefined
}

/**
 * Lets callers who ask the same thing at the same time share an answer that was asked for after each of them came. Who asks
 * in one turn of the event loop shares one question, and who comes while a question is under way waits for the next one.
 * Nobody is told what was true before they asked.
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
