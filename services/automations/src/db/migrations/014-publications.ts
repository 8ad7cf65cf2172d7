import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * When each automation was published, and with which trigger, kept by a trigger of the database. An event that is handled late enrols
 * only if the automation was published when it happened. Of earlier publications only those that last are known.
 */
export class Publications extends Migration {
  override up(): void {
    for (const statement of [
      ...publications,
      ...backfill,
      ...tenantTable('automation_publications'),
      ...ownSearchPath(),
    ])
      this.addSql(statement)
  }
}

const publications = [
  `create table automation_publications (
     workspace_id uuid not null,
     automation_id uuid not null,
     published_at timestamptz not null,
     ended_at timestamptz,
     trigger_type text not null,
     trigger_subject_id uuid,
     primary key (workspace_id, automation_id, published_at),
     foreign key (workspace_id, automation_id) references automations (workspace_id, id),
     check (ended_at >= published_at))`,
  `create function record_publication() returns trigger language plpgsql set search_path from current as $$
   begin
     if tg_op = 'UPDATE' and old.status = 'published' then
       update automation_publications set ended_at = greatest(now(), published_at)
        where workspace_id = old.workspace_id and automation_id = old.id and ended_at is null;
     end if;
     if new.status = 'published' then
       insert into automation_publications (workspace_id, automation_id, published_at, trigger_type, trigger_subject_id)
       values (new.workspace_id, new.id, new.published_at, new.trigger_type, new.trigger_subject_id)
       on conflict (workspace_id, automation_id, published_at) do update
         set ended_at = null, trigger_type = excluded.trigger_type, trigger_subject_id = excluded.trigger_subject_id;
     end if;
     return null;
   end $$`,
  `create trigger automations_published after insert on automations for each row
     when (new.status = 'published') execute function record_publication()`,
  `create trigger automations_publications after update of status, published_at on automations for each row
     when ((old.status = 'published') <> (new.status = 'published') or old.published_at is distinct from new.published_at)
     execute function record_publication()`,
]

const backfill = [
  `select set_config('app.system', 'migration', true)`,
  `insert into automation_publications (workspace_id, automation_id, published_at, trigger_type, trigger_subject_id)
   select workspace_id, id, published_at, trigger_type, trigger_subject_id from automations where status = 'published'`,
  `select set_config('app.system', '', true)`,
]
