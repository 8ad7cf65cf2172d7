import { isCheckViolation } from '@lettergate/database'
import { limitFault, type LimitedTable } from './workspace-limits.ts'

/** For the `catch` of an insert: one row too many for the workspace becomes the Fault that says so. */
export const mapLimitViolation =
  (table: LimitedTable) =>
  (error: unknown): never => {
    throw isCheckViolation(error, `${table}_limit`) ? limitFault(table) : error
  }
