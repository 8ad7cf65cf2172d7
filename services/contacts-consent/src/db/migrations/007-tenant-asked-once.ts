import { Migration } from '@mikro-orm/migrations'
import { tenantAskedOnce } from '@lettergate/database/ddl'

/** Row-level security asks for the tenant once a statement: judging an audience took twice as long with a question for each row. */
export class TenantAskedOnce extends Migration {
  override up(): void {
    for (const statement of tenantAskedOnce()) this.addSql(statement)
  }
}
