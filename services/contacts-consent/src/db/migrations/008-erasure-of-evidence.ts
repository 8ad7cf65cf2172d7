import { Migration } from '@mikro-orm/migrations'
import { appendOnly, ownSearchPath, tenantTable } from '@lettergate/database/ddl'

const erasures = [
  // Who had the evidence of which contact erased, and why. Written by erase_evidence alone.
  `create table evidence_erasures (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     reason text not null check (char_length(reason) between 1 and 200),
     actor text not null check (actor <> ''),
     correlation_id text not null,
     erased_events integer not null,
     erased_at timestamptz not null default now(),
     primary key (workspace_id, id))`,
  ...tenantTable('evidence_erasures'),
  ...appendOnly('evidence_erasures'),

  // The only way to remove evidence: the service's role may neither change nor delete it. Row-level security holds here
  // too, so the transaction has to be one of this workspace.
  `create function erase_evidence(entry_id uuid, of_workspace uuid, of_contact uuid, why text, who text, correlation text)
     returns integer language plpgsql security definer as $$
   declare
     erased integer;
   begin
     delete from consent_evidence d using consent_events e
      where e.workspace_id = of_workspace and e.contact_id = of_contact
        and d.workspace_id = of_workspace and d.event_id = e.id;
     get diagnostics erased = row_count;
     insert into evidence_erasures (workspace_id, id, contact_id, reason, actor, correlation_id, erased_events)
     values (of_workspace, entry_id, of_contact, why, who, correlation, erased);
     return erased;
   end $$`,
]

/** Evidence is erased through one function that records who asked; functions with the owner's rights look in this schema alone. */
export class ErasureOfEvidence extends Migration {
  override up(): void {
    for (const statement of [...erasures, ...ownSearchPath()]) this.addSql(statement)
  }
}
