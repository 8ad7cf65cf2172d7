import { Fault } from '@lettergate/fault'

/** A request that would be refused again. After an outage, and after an error without a name, it is repeated. */
export const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && error.code !== 'unavailable' && error.code !== 'resource_exhausted'

/**
 * Calls for all items at once. If the call is refused, it is made for both halves, so that one bad item refuses only itself. Answers
 * each item with its result or its error.
 */
export async function inHalves<T, R>(
  items: readonly T[],
  call: (items: readonly T[]) => Promise<R[]>,
): Promise<{ item: T; result?: R; error?: unknown }[]> {
  if (items.length === 0) return []
  try {
    const results = await call(items)
    return items.map((item, index) => ({ item, result: results[index]! }))
  } catch (error) {
    if (items.length === 1 || !isRefusal(error)) return items.map((item) => ({ item, error }))
    const half = Math.ceil(items.length / 2)
    return [...(await inHalves(items.slice(0, half), call)), ...(await inHalves(items.slice(half), call))]
  }
}
