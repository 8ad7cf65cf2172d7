import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * How often the step of a position was attempted in vain since it was last answered. It is 0 for nearly all positions, so an update
 * that moves a contact writes no index entry.
 */
export class FailedAttempts extends Migration {
  override up(): void {
    for (const statement of [...failures, ...ownSearchPath()]) this.addSql(statement)
  }
}

const failures = [
  `alter table enrollment_positions add column failed_attempts integer not null default 0`,
  `create index enrollment_positions_failing on enrollment_positions (workspace_id, automation_id, enrollment_id) where failed_attempts >= 3`,
]
