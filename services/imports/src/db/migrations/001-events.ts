import { Migration } from '@mikro-orm/migrations'
import { eventTables } from '@lettergate/events/ddl'

export class Events extends Migration {
  override up(): void {
    for (const statement of eventTables()) this.addSql(statement)
  }
}
