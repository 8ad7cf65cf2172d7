import { Fault, isOutage, stopping } from '@lettergate/fault'
import type { Part } from '@lettergate/service'

export interface BatchOptions<Item, Result> {
  /** Items of one run; default 200. */
  maxItems?: number
  /**
   * How long the first item of a batch waits for others, milliseconds; default 2. While a run is in progress it waits ten times
   * as long, so that the items that arrive during a normal run become one batch after it.
   * The next run begins `maxDelayMs` after the end of one, so that callers that just got their answer and send their next item
   * are in the same batch.
   */
  maxDelayMs?: number
  /** Concurrent runs; default 1. A second run starts when the first is slow, or `maxItems` items wait. */
  maxRunning?: number
  /** Items waiting for a run; above it, calls are refused with Fault `unavailable`. Default 5,000. */
  maxQueued?: number
  /**
   * All or nothing: returns one result or Error for each item, in order, or throws and has changed nothing. If it throws
   * anything but an outage, each item is retried in a run of its own, so that one bad item does not fail the others.
   */
  run: (items: Item[]) => Promise<(Result | Error)[]>
}

export interface Batch<Item, Result> {
  /** Resolves with the result of the item, or rejects with its error. */
  add(item: Item): Promise<Result>
  readonly queued: number
}

interface Entry<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

const delayFactorDuringRun = 10

/** Group commit: combines concurrent single calls into few runs. Stopping finishes the queue and refuses new items. */
export function microBatch<Item, Result>(options: BatchOptions<Item, Result>): Batch<Item, Result> & Part {
  const { maxItems = 200, maxDelayMs = 2, maxRunning = 1, maxQueued = 5_000, run } = options
  let queue: Entry<Item, Result>[] = []
  let running = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let drained: (() => void) | undefined

  async function runOnce(entries: Entry<Item, Result>[]): Promise<void> {
    let results: (Result | Error)[]
    try {
      results = await run(entries.map((entry) => entry.item))
      if (results.length !== entries.length)
        throw new Error(`a batch of ${entries.length} returned ${results.length} results`)
    } catch (error) {
      if (entries.length > 1 && !isOutage(error)) for (const entry of entries) await runOnce([entry])
      else for (const entry of entries) entry.reject(error)
      return
    }
    for (const [index, entry] of entries.entries()) {
      const result = results[index] as Result | Error
      if (result instanceof Error) entry.reject(result)
      else entry.resolve(result)
    }
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    while (running < maxRunning && queue.length > 0) {
      const entries = queue.slice(0, maxItems)
      queue = queue.slice(maxItems)
      running += 1
      void runOnce(entries).finally(() => {
        running -= 1
        if (stopped || queue.length >= maxItems) flush()
        else if (queue.length > 0) {
          clearTimeout(timer)
          timer = setTimeout(flush, maxDelayMs)
        }
        if (stopped && running === 0 && queue.length === 0) drained?.()
      })
    }
  }

  return {
    get queued() {
      return queue.length
    },
    add(item) {
      if (stopped) return Promise.reject(stopping())
      if (queue.length >= maxQueued) {
        return Promise.reject(
          new Fault(
            'unavailable',
            'too_busy',
            'More requests arrive than can be stored at the moment. Send this one again in a few seconds.',
          ),
        )
      }
      return new Promise<Result>((resolve, reject) => {
        queue.push({ item, resolve, reject })
        if (running >= maxRunning) return
        if (queue.length >= maxItems) flush()
        else timer ??= setTimeout(flush, running === 0 ? maxDelayMs : maxDelayMs * delayFactorDuringRun)
      })
    },
    async stop() {
      stopped = true
      if (running === 0 && queue.length === 0) return
      const done = new Promise<void>((resolve) => (drained = resolve))
      flush()
      await done
    },
  }
}
