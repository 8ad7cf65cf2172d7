import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const tables = [
  // What each row of an import did, in the transaction that did it: a row that comes again does nothing more.
  `create table import_rows (
     workspace_id uuid not null,
     import_id uuid not null,
     pass smallint not null check (pass in (1, 2)),
     row_number integer not null check (row_number > 0),
     outcome text not null check (outcome in ('consent_recorded', 'already_subscribed', 'needs_review', 'withdrawn',
       'suppressed', 'already_refused', 'blocked_by_suppression', 'refused')),
     contact text check (contact in ('new', 'existing')),
     contact_id uuid,
     event_id uuid,
     reasons text[],
     applied_at timestamptz not null default now(),
     primary key (workspace_id, import_id, pass, row_number),
     check (contact is null or contact_id is not null))`,
  ...tenantTable('import_rows'),
]

/** The ledger of imports. */
export class ImportRows extends Migration {
  override up(): void {
    for (const statement of tables) this.addSql(statement)
  }
}
