import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

// The row locks of the batch, or of the messages, ensure that a message is in at most one hand-off that was not put back.
const refuseSecondHandOff = `create or replace function refuse_second_hand_off() returns trigger language plpgsql set search_path from current as $$
   declare known bigint;
   begin
     if new.kind = 'run' then
       perform from delivery_batches b where b.run_id = new.origin_id and b.batch = new.batch for update;
       if not (new.message_ids <@ array(
         select r.id from run_recipients r where r.workspace_id = new.workspace_id and r.run_id = new.origin_id and r.batch = new.batch)) then
         raise exception 'hand-off % has messages that are not of its run and batch', new.id
           using errcode = 'foreign_key_violation', constraint = 'hand_offs_messages_of_run';
       end if;
     elsif new.kind = 'automation' then
       select count(*) into known from (
         select from automation_emails e where e.workspace_id = new.workspace_id and e.id = any(new.message_ids)
            and e.automation_id = new.origin_id and e.batch = new.batch order by e.id for update) as locked;
       if known <> cardinality(new.message_ids) then
         raise exception 'hand-off % has messages that are not of its automation and batch', new.id
           using errcode = 'foreign_key_violation', constraint = 'hand_offs_messages_of_automation';
       end if;
     elsif new.message_ids <> array[new.origin_id] then
       raise exception 'hand-off % has messages that are not its own', new.id
         using errcode = 'foreign_key_violation', constraint = 'hand_offs_message_of_its_own';
     end if;
     if exists (select from hand_offs h where h.workspace_id = new.workspace_id and h.origin_id = new.origin_id and h.batch = new.batch
                   and h.id <> new.id and h.state <> 'put_back' and h.message_ids && new.message_ids) then
       raise exception 'a message of hand-off % stands in another one', new.id using errcode = 'unique_violation', constraint = 'hand_offs_name_a_message_once';
     end if;
     if (select count(*) <> count(distinct m.id) from unnest(new.message_ids) as m (id)) then
       raise exception 'hand-off % names a message twice', new.id using errcode = 'unique_violation', constraint = 'hand_offs_name_a_message_once';
     end if;
     return new;
   end $$`

/** A hand-off names only messages of its origin and batch, so that a message is in one hand-off of all batches. */
export class MessagesOfTheirBatch extends Migration {
  override up(): void {
    for (const statement of [refuseSecondHandOff, ...ownSearchPath()]) this.addSql(statement)
  }
}
