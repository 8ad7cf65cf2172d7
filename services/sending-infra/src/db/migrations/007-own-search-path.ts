import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath } from '@lettergate/database/ddl'

/** Functions look in this schema alone, and for temporary objects last. */
export class OwnSearchPath extends Migration {
  override up(): void {
    for (const statement of ownSearchPath()) this.addSql(statement)
  }
}
