import { sql, statement, type Em } from '@lettergate/database'

const setPlans = statement('read-consent-record-in-order')

/**
 * Lets the statements of this transaction read rows in the order of an index. The planner knows nothing of rows that an import has
 * just added: it expects few of them, and would read and sort all of them for each page.
 */
export const readInOrder = (em: Em): Promise<unknown> =>
  setPlans.execute(em, sql`select set_config('enable_sort', 'off', true)`)
