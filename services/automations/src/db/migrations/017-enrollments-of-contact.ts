import { Migration } from '@mikro-orm/migrations'

/** The enrollments of one contact are listed, and searched when the contact is erased. The index makes both fast among millions. */
export class EnrollmentsOfContact extends Migration {
  override up(): void {
    this.addSql(`create index enrollments_of_contact on enrollments (workspace_id, contact_id, id)`)
  }
}
