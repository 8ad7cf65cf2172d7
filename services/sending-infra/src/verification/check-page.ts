import { Fault } from '@lettergate/fault'

const limitMax = 100

/** The number of checks of a page, 20 by default. */
export function parseLimit(limit: number | undefined): number {
  if (limit === undefined) return 20
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw new Fault('invalid_argument', 'limit', `limit must lie between 1 and ${limitMax}.`)
  return limit
}

/** A cursor is the number of the last check of the previous page. */
export function parseCursor(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  if (!/^[1-9]\d{0,17}$/.test(cursor))
    throw new Fault('invalid_argument', 'cursor', 'cursor must be the next_cursor of the page before.')
  return cursor
}
