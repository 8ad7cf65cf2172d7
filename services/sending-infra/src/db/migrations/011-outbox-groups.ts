import { Migration } from '@mikro-orm/migrations'
import { outboxGroups } from '@lettergate/events/ddl'

/** The relay publishes the events of a transaction as it finds them, without reading each of them. */
export class OutboxGroups extends Migration {
  override up(): void {
    for (const statement of outboxGroups()) this.addSql(statement)
  }
}
