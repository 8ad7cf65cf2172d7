import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Why the step of a position was not done at its last attempt. Not indexed, so its updates write no index entry. */
export class WaitingReason extends Migration {
  override up(): void {
    for (const statement of ['alter table enrollment_positions add column waiting_reason text', ...ownSearchPath()])
      this.addSql(statement)
  }
}
