import { Fault } from '@lettergate/fault'

/** What an outage answers, and an expired or unknown certificate of this service. Neither says anything about the items. */
const temporary = new Set<string>(['unavailable', 'resource_exhausted', 'unauthenticated', 'permission_denied'])

/** The other service cannot answer now, whatever it is asked. */
export const isOutage = (error: unknown): boolean => error instanceof Fault && temporary.has(error.code)

/** A request that would be refused again. */
export const isRefusal = (error: unknown): error is Fault => error instanceof Fault && !temporary.has(error.code)

/** How often a call that broke is divided. Enough to find one bad item among 200, and few calls if every call breaks. */
const divisionsMax = 12

export interface ErrorOfItem {
  readonly error: unknown
  /** the item was alone in the call, so the error is not that of another item */
  readonly isOfItem: boolean
}

export type AnswerOfItem<T, R> =
  | { readonly item: T; readonly result: R; readonly error?: undefined }
  | { readonly item: T; readonly result?: undefined; readonly error: ErrorOfItem }

/**
 * Calls for all items at once. If the call is refused, it is made for both halves, so that one bad item refuses only itself. The
 * same happens after an internal error, which one bad item may have caused, but a limited number of times. Answers each item with
 * its result or its error, in order.
 */
export async function inHalves<T, R>(
  items: readonly T[],
  call: (items: readonly T[]) => Promise<R[]>,
): Promise<AnswerOfItem<T, R>[]> {
  let divisions = 0
  async function ask(part: readonly T[]): Promise<AnswerOfItem<T, R>[]> {
    try {
      const results = await call(part)
      return part.map((item, index) => ({ item, result: results[index]! }))
    } catch (error) {
      const isDivided = part.length > 1 && (isRefusal(error) || (!isOutage(error) && divisions < divisionsMax))
      if (!isDivided) return part.map((item) => ({ item, error: { error, isOfItem: part.length === 1 } }))
      if (!isRefusal(error)) divisions += 1
      const half = Math.ceil(part.length / 2)
      return [...(await ask(part.slice(0, half))), ...(await ask(part.slice(half)))]
    }
  }
  return items.length === 0 ? [] : ask(items)
}
