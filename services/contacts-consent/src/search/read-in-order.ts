import { held, sql, statement, type Em } from '@lettergate/database'

const setPlans = statement('set-enable-sort')

/**
 * Lets the next statements of this transaction read rows in the order of an index. The planner keeps no statistics of workspaces, so
 * it expects few rows of each, and would read and sort all rows of a workspace for a page that is longer than that.
 */
export const readInOrder = (em: Em): Promise<unknown> => setEnableSort(em, 'off')

/** Ends `readInOrder`, for statements that find few rows by an index and sort them. */
export const sortAgain = (em: Em): Promise<unknown> => setEnableSort(em, 'on')

const setEnableSort = (em: Em, value: 'on' | 'off') =>
  setPlans.execute(em, held(sql`select set_config('enable_sort', ${value}, true)`))
