/** Answers that are asked for again when they are no longer fresh. */
export interface Fresh<K, T> {
  /** The answer to this question, at most `freshMs` old by when it was asked for. Concurrent questions share one call. */
  get(key: K): Promise<T>
  drop(): void
}

interface Entry<T> {
  askedAt: number
  answer: Promise<T>
}

const entriesMax = 1_000

/** Keeps answers for `freshMs`, counted from the moment before the question left. A failure is kept for nobody. */
export function fresh<K, T>(options: {
  freshMs: number
  load: (key: K) => Promise<T>
  clock?: () => number
}): Fresh<K, T> {
  const { freshMs, load, clock = () => performance.now() } = options
  const entries = new Map<K, Entry<T>>()

  return {
    get(key) {
      const known = entries.get(key)
      if (known && clock() - known.askedAt < freshMs) return known.answer
      const entry: Entry<T> = { askedAt: clock(), answer: load(key) }
      entry.answer.catch(() => {
        if (entries.get(key) === entry) entries.delete(key)
      })
      entries.delete(key)
      entries.set(key, entry)
      if (entries.size > entriesMax) entries.delete(entries.keys().next().value as K)
      return entry.answer
    },
    drop: () => entries.clear(),
  }
}
