import { Migration } from '@mikro-orm/migrations'

/** An import asks of each contact whether its person was erased before. */
export class ContactsAfterErasure extends Migration {
  override up(): void {
    this.addSql(
      `create index erasures_new_contact on erasures (workspace_id, new_contact_id) where new_contact_id is not null`,
    )
  }
}
