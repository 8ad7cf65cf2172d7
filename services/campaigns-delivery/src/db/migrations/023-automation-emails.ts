import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'

/** The messages of automation steps. Their hand-offs and facts are those of the delivery engine. */
export class AutomationEmails extends Migration {
  override up(): void {
    for (const statement of [...automationEmails, ...handOffs, ...ownSearchPath()]) this.addSql(statement)
  }
}

const automationEmails = [
  // The id is that of the step, and the message id that the provider gets. `batch` is one number for the messages that were
  // stored together, so that the hand-offs of a message are found among a few. The audience is the one of the last verdict.
  `create table automation_emails (
     workspace_id uuid not null,
     id uuid not null,
     automation_id uuid not null,
     enrollment_id uuid not null,
     batch integer not null check (batch >= 0),
     contact_id uuid not null,
     audience_id uuid,
     sender_identity_id uuid not null,
     content_version_id uuid not null,
     is_single boolean not null default false,
     correlation_id text not null,
     created_at timestamptz not null default clock_timestamp(),
     primary key (workspace_id, id),
     foreign key (workspace_id, content_version_id) references content_versions (workspace_id, id))`,
  `create index automation_emails_contact on automation_emails (workspace_id, contact_id)`,
  ...tenantTable('automation_emails'),
  `create trigger automation_emails_kept before delete
     or update of workspace_id, id, automation_id, enrollment_id, batch, contact_id, sender_identity_id, content_version_id, correlation_id, created_at
     on automation_emails for each row execute function refuse_change()`,
  `create trigger automation_emails_never_truncated before truncate on automation_emails for each statement execute function refuse_change()`,
]

const handOffs = [
  `alter table hand_offs drop constraint hand_offs_kind_check, add constraint hand_offs_kind_check check (kind in ('run', 'test_send', 'automation'))`,
  // The row locks of the batch, or of the messages, ensure that a message is in at most one hand-off that was not put back.
  `create or replace function refuse_second_hand_off() returns trigger language plpgsql set search_path from current as $$
   declare known bigint;
   begin
     if new.kind = 'run' then
       perform from delivery_batches b where b.run_id = new.origin_id and b.batch = new.batch for update;
     elsif new.kind = 'automation' then
       select count(*) into known from (
         select from automation_emails e where e.workspace_id = new.workspace_id and e.id = any(new.message_ids)
            and e.automation_id = new.origin_id and e.batch = new.batch order by e.id for update) as locked;
       if known <> cardinality(new.message_ids) then
         raise exception 'hand-off % has messages that are not of its automation and batch', new.id
           using errcode = 'foreign_key_violation', constraint = 'hand_offs_messages_of_automation';
       end if;
     end if;
     if exists (select from hand_offs h where h.workspace_id = new.workspace_id and h.origin_id = new.origin_id and h.batch = new.batch
                   and h.id <> new.id and h.state <> 'put_back' and h.message_ids && new.message_ids) then
       raise exception 'a message of hand-off % stands in another one', new.id using errcode = 'unique_violation', constraint = 'hand_offs_name_a_message_once';
     end if;
     return new;
   end $$`,
]
