import { Migration } from '@mikro-orm/migrations'
import { outboxWrittenOnce } from '@lettergate/events/ddl'

/** Publishing an event changes no row of the outbox. */
export class OutboxWrittenOnce extends Migration {
  override up(): void {
    for (const statement of outboxWrittenOnce()) this.addSql(statement)
  }
}
