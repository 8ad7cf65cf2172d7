import { Migration } from '@mikro-orm/migrations'
import { outboxHeadersAsText } from '@lettergate/events/ddl'

/** Publishing and relaying an event parse its headers once less. */
export class OutboxHeadersAsText extends Migration {
  override up(): void {
    for (const statement of outboxHeadersAsText()) this.addSql(statement)
  }
}
