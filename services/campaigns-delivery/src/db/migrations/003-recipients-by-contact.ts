import { Migration } from '@mikro-orm/migrations'

/** Before a contact is deleted, its messages are searched. The index makes this fast among millions. */
export class RecipientsByContact extends Migration {
  override up(): void {
    this.addSql('create index run_recipients_contact on run_recipients (contact_id)')
  }
}
