import { Fifo } from './fifo.ts'

export interface DelayQueue<T> {
  readonly length: number
  push(item: T, delayMs: number): void
  stop(): void
}

/**
 * Passes each item on after its delay. For few different delays and very many items: items with the same delay are in one
 * queue, and one timer serves all queues.
 */
export function delayQueue<T>(due: (item: T) => void): DelayQueue<T> {
  const lanes = new Map<number, Fifo<{ item: T; at: number }>>()
  let timer: NodeJS.Timeout | undefined
  let timerAt = Infinity
  let waiting = 0

  const arm = (at: number) => {
    if (at >= timerAt) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(run, Math.max(1, at - performance.now()))
  }
  const run = () => {
    timerAt = Infinity
    const now = performance.now()
    let next = Infinity
    for (const lane of lanes.values()) {
      while ((lane.at(0)?.at ?? Infinity) <= now) {
        const entry = lane.shift()
        waiting -= 1
        if (entry) due(entry.item)
      }
      next = Math.min(next, lane.at(0)?.at ?? Infinity)
    }
    if (next < Infinity) arm(next)
  }

  return {
    get length() {
      return waiting
    },
    push: (item, delayMs) => {
      let lane = lanes.get(delayMs)
      if (lane === undefined) lanes.set(delayMs, (lane = new Fifo()))
      const at = performance.now() + delayMs
      lane.push({ item, at })
      waiting += 1
      arm(at)
    },
    stop: () => {
      clearTimeout(timer)
      lanes.clear()
    },
  }
}
