import { setImmediate } from 'node:timers/promises'

const atOnce = 20

/** Maps items in their order. Each time after 20 of them the process does its other work, because one item may take some milliseconds. */
export async function inTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % atOnce === 0) await setImmediate()
    results.push(map(item))
  }
  return results
}
