import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, referenceCheck } from '@lettergate/database/ddl'
import { references } from './020-cheaper-rows-of-imports.ts'
import { sharedReferences } from './023-shared-details.ts'

const statements = [...[...references, ...sharedReferences].map(referenceCheck), ...ownSearchPath()]

/**
 * A plan that was made while `contacts` was nearly empty read all contacts of the workspace for each row. An import of some thousand
 * people failed then until the table was analysed.
 */
export class ReferencesByKey extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
