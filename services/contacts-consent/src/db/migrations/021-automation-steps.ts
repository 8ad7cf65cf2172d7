import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const statements = [
  // The lock of the contact covers its score, and an erasure removes it with the contact.
  `alter table contacts add column score integer not null default 0 check (score between -1000000000 and 1000000000)`,
  // What each step of an automation did to a contact, in the transaction that did it: a step that comes again does nothing more.
  `create table automation_step_receipts (
     workspace_id uuid not null,
     contact_id uuid not null,
     step_id uuid not null,
     outcome text not null check (outcome in ('applied', 'unchanged', 'refused')),
     reasons text[] not null default '{}',
     recorded_at timestamptz not null default now(),
     primary key (workspace_id, contact_id, step_id),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade,
     check ((outcome = 'refused') = (cardinality(reasons) > 0)))`,
  ...tenantTable('automation_step_receipts'),
]

/** The effects of automations on contacts. */
export class AutomationSteps extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
