import { neverCommitted } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Synthetic recipients of capacity rehearsals are written in transactions that the database refuses to commit. */
export class RehearsedRecipients extends Migration {
  override up(): void {
    for (const statement of neverCommitted()) this.addSql(statement)
  }
}
