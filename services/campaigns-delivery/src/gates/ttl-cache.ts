import { LRUCache } from 'lru-cache'

/** A cache whose entries expire. */
export interface TtlCache<K, T> {
  /** Returns the cached value, or loads it when it is older than `maxAgeMs`. Concurrent calls share one load. */
  get(key: K): Promise<T>
  /** Removes the values of the keys that match, or all. */
  drop(matches?: (key: K) => boolean): void
}

const entriesMax = 1_000

/** Creates a cache. The age counts from before the load started. A failed load is not cached. */
export function ttlCache<K extends {}, T>(options: {
  maxAgeMs: number
  load: (key: K) => Promise<T>
  clock?: () => number
}): TtlCache<K, T> {
  const { maxAgeMs, load, clock = () => performance.now() } = options
  const answers = new LRUCache<K, Promise<T>>({
    max: entriesMax,
    ttl: maxAgeMs,
    ttlResolution: 0,
    perf: { now: clock },
  })

  return {
    get(key) {
      const known = answers.get(key)
      if (known) return known
      const asked = clock()
      const answer = load(key)
      answers.set(key, answer, { start: asked })
      answer.catch(() => {
        if (answers.peek(key, { allowStale: true }) === answer) answers.delete(key)
      })
      return answer
    },
    drop(matches) {
      if (!matches) return answers.clear()
      for (const key of answers.keys()) if (matches(key)) answers.delete(key)
    },
  }
}
