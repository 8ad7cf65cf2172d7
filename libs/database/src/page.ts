import { Fault } from '@lettergate/fault'
import { isCanonicalUuid } from '@lettergate/values/uuid'

export const pageSize = { default: 50, max: 200 } as const

/** The number of rows of a page. `max` is larger for lists that programs read. Throws Fault `invalid_argument` naming limit. */
export function parseLimit(given: number | undefined, max: number = pageSize.max): number {
  const limit = given ?? pageSize.default
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  throw new Fault('invalid_argument', 'limit', `limit must be a whole number from 1 to ${max}.`)
}

/** The cursor of the page after this row. It is opaque to callers and valid only for its own list. */
export const cursorAfter = (list: string, id: string): string => Buffer.from(`${list} ${id}`).toString('base64url')

/** The id of the last row of the previous page; null for the first page. Throws Fault `invalid_argument` naming cursor. */
export function parseCursor(list: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const [of, id = '', ...more] = Buffer.from(given, 'base64url').toString('utf8').split(' ')
  if (of === list && isCanonicalUuid(id) && more.length === 0 && cursorAfter(list, id) === given) return id
  throw new Fault('invalid_argument', 'cursor', 'cursor must be a next_cursor that this list has answered.')
}

/** The maximum size of the free objects of one page, as JSON. In a gRPC message they can take six times as much. */
const pageCharsMax = 2_000_000

/** The first rows whose free objects fit into one answer, at least one row. */
export function fitting<T>(found: readonly T[], objectOf: (one: T) => object | undefined): T[] {
  let chars = 0
  const beyond = found.findIndex((one, index) => {
    chars += JSON.stringify(objectOf(one) ?? null).length
    return index > 0 && chars > pageCharsMax
  })
  return beyond === -1 ? [...found] : found.slice(0, beyond)
}

/** Takes a page from the found rows. The query reads one extra row, which shows whether another page follows. Large objects make a page shorter. */
export function pageOf<T extends { id: string }>(
  list: string,
  found: readonly T[],
  limit: number,
  objectOf: (one: T) => object | undefined = () => undefined,
) {
  const page = fitting(found.slice(0, limit), objectOf)
  return found.length > page.length ? { page, nextCursor: cursorAfter(list, page.at(-1)!.id) } : { page }
}

const toleranceMs = 3_600_000

/**
 * Ids are UUIDv7: ids that were created at this time or later are greater than the floor. The tolerance of one hour covers clock
 * drift and long transactions. The query must also compare the exact time column.
 */
export const idFloor = (at: Date): string => idAt(at.getTime() - toleranceMs)
export const idCeiling = (at: Date): string => idAt(at.getTime() + toleranceMs)

function idAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
