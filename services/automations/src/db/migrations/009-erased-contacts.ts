import { tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Ids of erased contacts: a trigger from before the erasure that arrives later must not enrol one. */
export class ErasedContacts extends Migration {
  override up(): void {
    const statements = [
      `create table erased_contacts (
         workspace_id uuid not null,
         contact_id uuid not null,
         erased_at timestamptz not null default now(),
         primary key (workspace_id, contact_id))`,
      ...tenantTable('erased_contacts'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
