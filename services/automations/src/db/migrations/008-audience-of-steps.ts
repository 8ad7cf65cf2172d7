import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** The audience under which the email of a step was handed over. */
export class AudienceOfSteps extends Migration {
  override up(): void {
    for (const statement of ['alter table enrollment_steps add column audience_id uuid', ...ownSearchPath()])
      this.addSql(statement)
  }
}
