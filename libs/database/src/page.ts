import { Fault } from '@lettergate/fault'
import { isCanonicalUuid } from '@lettergate/values/uuid'

export const pageSize = { default: 50, max: 200 } as const

/** How many rows a page has; `max` is larger where programs read. Throws Fault `invalid_argument` naming limit. */
export function parseLimit(given: number | undefined, max: number = pageSize.max): number {
  const limit = given ?? pageSize.default
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  throw new Fault('invalid_argument', 'limit', `limit must be a whole number from 1 to ${max}.`)
}

/** Tells where the page after this row begins. Opaque to callers; good for the list that made it alone. */
export const cursorAfter = (list: string, id: string): string => Buffer.from(`${list} ${id}`).toString('base64url')

/** The id of the last row that was seen; null begins at the newest. Throws Fault `invalid_argument` naming cursor. */
export function parseCursor(list: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const [of, id = '', ...more] = Buffer.from(given, 'base64url').toString('utf8').split(' ')
  if (of === list && isCanonicalUuid(id) && more.length === 0 && cursorAfter(list, id) === given) return id
  throw new Fault('invalid_argument', 'cursor', 'cursor must be a next_cursor that this list has answered.')
}

/** What free objects on one page may come to, as JSON: in a message of ours they take up to six times as much. */
const pageCharsMax = 2_000_000

/** The first rows, at least one, whose free objects are not too much for one answer. */
export function fitting<T>(found: readonly T[], objectOf: (one: T) => object | undefined): T[] {
  let chars = 0
  const beyond = found.findIndex((one, index) => {
    chars += JSON.stringify(objectOf(one) ?? null).length
    return index > 0 && chars > pageCharsMax
  })
  return beyond === -1 ? [...found] : found.slice(0, beyond)
}

/** One row more than the page was read: it says whether another page follows. Rows with large objects make it shorter. */
export function pageOf<T extends { id: string }>(
  list: string,
  found: readonly T[],
  limit: number,
  objectOf: (one: T) => object | undefined = () => undefined,
) {
  const page = fitting(found.slice(0, limit), objectOf)
  return found.length > page.length ? { page, nextCursor: cursorAfter(list, page.at(-1)!.id) } : { page }
}

const slackMs = 3_600_000

/**
 * Ids are UUIDv7: all those made at a moment or later are this one or greater, all made before it are smaller. The hour of
 * slack is for clocks that differ and for transactions that take long; the exact comparison is the column's.
 */
export const idFloor = (at: Date): string => idAt(at.getTime() - slackMs)
export const idCeiling = (at: Date): string => idAt(at.getTime() + slackMs)

function idAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 0xffff_ffff_ffff).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
