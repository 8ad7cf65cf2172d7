import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath } from '@lettergate/database/ddl'

/** Functions use only this schema; temporary objects come last. */
export class OwnSearchPath extends Migration {
  override up(): void {
    for (const statement of ownSearchPath()) this.addSql(statement)
  }
}
