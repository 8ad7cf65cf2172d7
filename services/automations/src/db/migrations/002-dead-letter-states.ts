import { Migration } from '@mikro-orm/migrations'
import { deadLetterStates } from '@lettergate/events/ddl'

/** Dead letters can be replayed and discarded. */
export class DeadLetterStates extends Migration {
  override up(): void {
    for (const statement of deadLetterStates()) this.addSql(statement)
  }
}
