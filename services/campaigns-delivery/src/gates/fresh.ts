import { LRUCache } from 'lru-cache'

/** Answers that are asked for again when they are no longer fresh. */
export interface Fresh<K, T> {
  /** The answer to this question, at most `freshMs` old by when it was asked for. Concurrent questions share one call. */
  get(key: K): Promise<T>
  drop(): void
}

const entriesMax = 1_000

/** Keeps answers for `freshMs`, counted from the moment before the question left. A failure is kept for nobody. */
export function fresh<K extends {}, T>(options: {
  freshMs: number
  load: (key: K) => Promise<T>
  clock?: () => number
}): Fresh<K, T> {
  const { freshMs, load, clock = () => performance.now() } = options
  const answers = new LRUCache<K, Promise<T>>({ max: entriesMax, ttl: freshMs, ttlResolution: 0, perf: { now: clock } })

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
    drop: () => answers.clear(),
  }
}
