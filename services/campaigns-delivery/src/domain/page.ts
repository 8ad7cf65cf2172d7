import { Fault } from '@lettergate/fault'
import { isId } from './identifier.ts'

const pageSize = { default: 50, max: 200 } as const

/** How many rows a page has. Fault `invalid_argument` names limit. */
export function parseLimit(given: number | undefined, max: number = pageSize.max): number {
  const limit = given ?? pageSize.default
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit
  throw new Fault('invalid_argument', 'limit', `limit must be a whole number from 1 to ${max}.`)
}

const cursorAfter = (list: string, id: string): string => Buffer.from(`${list} ${id}`).toString('base64url')

/** The id of the last row that was seen; null begins at the newest. Fault `invalid_argument` names cursor. */
export function parseCursor(list: string, given: string | undefined): string | null {
  if (given === undefined) return null
  const [of, id = '', ...more] = Buffer.from(given, 'base64url').toString('utf8').split(' ')
  if (of === list && isId(id) && more.length === 0 && cursorAfter(list, id) === given) return id
  throw new Fault('invalid_argument', 'cursor', 'cursor must be a next_cursor that this list has answered.')
}

/** One row more than the page was read: it says whether another page follows. Cursors are opaque and good for their list alone. */
export function pageOf<T extends { id: string }>(list: string, found: readonly T[], limit: number) {
  const page = found.slice(0, limit)
  return found.length > limit ? { page, nextCursor: cursorAfter(list, page.at(-1)!.id) } : { page }
}
