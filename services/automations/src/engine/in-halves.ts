import { Fault } from '@lettergate/fault'

/** What an outage answers, and an expired or unknown certificate of this service. Neither says anything about the items. */
const temporary = new Set<string>(['unavailable', 'resource_exhausted', 'unauthenticated', 'permission_denied'])

/** A request that would be refused again. Any other error is temporary, or has no name, and the request is repeated. */
export const isRefusal = (error: unknown): error is Fault => error instanceof Fault && !temporary.has(error.code)

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
