import { isCheckViolation } from '@lettergate/database'
import { beyondLimit, type LimitedTable } from './workspace-limits.ts'

/** For the `catch` of an insert: one row too many for the workspace becomes the Fault that says so. */
export const tellingLimit =
  (table: LimitedTable) =>
  (error: unknown): never => {
    throw isCheckViolation(error, `${table}_limit`) ? beyondLimit(table) : error
  }
