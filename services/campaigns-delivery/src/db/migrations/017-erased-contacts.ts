import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Ids of erased contacts: a snapshot or a test send that started before must not restore the address. */
export class ErasedContacts extends Migration {
  override up(): void {
    const statements = [
      `create table erased_contacts (
         workspace_id uuid not null,
         contact_id uuid not null,
         erased_at timestamptz not null default now(),
         primary key (workspace_id, contact_id))`,
      `create index erased_contacts_at on erased_contacts (workspace_id, erased_at)`,
      ...tenantTable('erased_contacts'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
