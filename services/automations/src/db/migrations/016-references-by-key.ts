import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, referenceCheck } from '@lettergate/database/ddl'
import { enrollmentsOfVersion } from './005-enrollments.ts'

/** A plan that was made while `automation_versions` was nearly empty read all versions of the workspace for each row. */
export class ReferencesByKey extends Migration {
  override up(): void {
    for (const statement of [referenceCheck(enrollmentsOfVersion), ...ownSearchPath()]) this.addSql(statement)
  }
}
