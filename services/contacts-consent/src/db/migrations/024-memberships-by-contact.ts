import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, referenceCheck } from '@lettergate/database/ddl'
import { references } from './020-cheaper-rows-of-imports.ts'

const statements = [
  // One index for the key and for the memberships of a contact. Those of an audience are read by memberships_by_state.
  `alter table memberships drop constraint memberships_pkey, add primary key (workspace_id, contact_id, audience_id)`,
  `drop index memberships_contact`,
  ...references.map(referenceCheck),
  ...ownSearchPath(),
]

/** A new member is one index entry less, and its new contact is not locked again. */
export class MembershipsByContact extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
