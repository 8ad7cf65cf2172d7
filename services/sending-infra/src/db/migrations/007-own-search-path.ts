import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath } from '@lettergate/database/ddl'

/** The search path of functions is this schema, with temporary objects last. */
export class OwnSearchPath extends Migration {
  override up(): void {
    for (const statement of ownSearchPath()) this.addSql(statement)
  }
}
