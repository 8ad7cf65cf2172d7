import { Migration } from '@mikro-orm/migrations'

/** Whether messages went to a contact is asked before it is deleted; only an index answers that among millions. */
export class RecipientsByContact extends Migration {
  override up(): void {
    this.addSql('create index run_recipients_contact on run_recipients (contact_id)')
  }
}
