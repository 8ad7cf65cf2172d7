interface Asking<T> {
  running: Promise<T>
  next: Promise<T> | undefined
}

/**
 * Lets callers who ask the same thing at the same time share an answer that was asked for after each of them came: who
 * comes while a question is under way waits for the next one. Nobody is told what was true before they asked.
 */
export function coalesced<T>(): (key: string, ask: () => Promise<T>) => Promise<T> {
  const asking = new Map<string, Asking<T>>()

  function begin(key: string, ask: () => Promise<T>): Promise<T> {
    const mine: Asking<T> = { running: ask(), next: undefined }
    asking.set(key, mine)
    const after = () => {
      if (mine.next === undefined && asking.get(key) === mine) asking.delete(key)
    }
    mine.running.then(after, after)
    return mine.running
  }

  return (key, ask) => {
    const current = asking.get(key)
    if (!current) return begin(key, ask)
    const again = () => begin(key, ask)
    return (current.next ??= current.running.then(again, again))
  }
}
