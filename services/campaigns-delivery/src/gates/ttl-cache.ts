/** A cache whose entries expire. */
export interface TtlCache<K, T> {
  /** Returns the cached value, or loads it when it is older than `maxAgeMs`. Concurrent calls share one load. */
  get(key: K): Promise<T>
  drop(): void
}

interface CacheEntry<T> {
  askedAt: number
  answer: Promise<T>
}

const entriesMax = 1_000

/** Creates a cache. The age counts from before the load started. A failed load is not cached. */
export function ttlCache<K, T>(options: {
  maxAgeMs: number
  load: (key: K) => Promise<T>
  clock?: () => number
}): TtlCache<K, T> {
  const { maxAgeMs, load, clock = () => performance.now() } = options
  const entries = new Map<K, CacheEntry<T>>()

  return {
    get(key) {
      const known = entries.get(key)
      if (known && clock() - known.askedAt < maxAgeMs) return known.answer
      const entry: CacheEntry<T> = { askedAt: clock(), answer: load(key) }
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
