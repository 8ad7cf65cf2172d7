import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const statements = [
  // Waits for writers and blocks new ones until the commit, so that no event stays in the earlier queue.
  `lock table consent_events in share row exclusive mode`,
  // The events of one statement that have no seal, at most 1,000 in a row, in order of arrival. Those of one contact are in commit order.
  `create table unsealed_consent_batches (
     workspace_id uuid not null,
     arrival bigint generated always as identity,
     event_count integer not null check (event_count = cardinality(event_ids) and event_count = cardinality(contact_ids)),
     event_ids uuid[] not null,
     contact_ids uuid[] not null,
     primary key (workspace_id, arrival))`,
  ...['event_ids', 'contact_ids'].map(
    (column) => `alter table unsealed_consent_batches alter column ${column} set storage external`,
  ),
  ...tenantTable('unsealed_consent_batches'),
  `select set_config('app.system', 'migration', true)`,
  `insert into unsealed_consent_batches (workspace_id, event_count, event_ids, contact_ids)
   select workspace_id, 1, array[event_id], array[contact_id] from unsealed_consent_events order by workspace_id, arrival`,
  `select set_config('app.system', '', true)`,
  `create or replace function queue_for_seal() returns trigger language plpgsql as $$
     begin
       insert into contacts.unsealed_consent_batches (workspace_id, event_count, event_ids, contact_ids)
       select workspace_id, count(*), array_agg(id order by id), array_agg(contact_id order by id)
         from (select workspace_id, id, contact_id, (row_number() over (partition by workspace_id order by id) - 1) / 1000 as part
                 from added) a
        group by workspace_id, part order by workspace_id, part;
       return null;
     end $$`,
  `drop table unsealed_consent_events`,
]

/** A queue with a row for each event cost an import as much as a table. */
export class EventsToSealByStatement extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
