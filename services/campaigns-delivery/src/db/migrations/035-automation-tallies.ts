import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Only the hours of the last 7 days are read, so that older ones are not filled. */
const isFilled = (id: string) => `hour_of_id(${id}) >= now() - interval '8 days'`

const table = [
  // The hour in which a UUIDv7 was made.
  `create function hour_of_id(id uuid) returns timestamptz language sql immutable parallel safe
     return to_timestamp(('x' || encode(substring(uuid_send(id) from 1 for 6), 'hex'))::bit(48)::bigint / 3600000 * 3600)`,
  // A slot may be negative. Only the sum over the slots of an hour is meaningful.
  `create table automation_tallies (
     workspace_id uuid not null,
     hour timestamptz not null,
     kind text not null check (kind in ('accepted', 'delivered', 'hard_bounced')),
     slot smallint not null check (slot between 0 and 15),
     messages bigint not null,
     primary key (workspace_id, hour, kind, slot)) with (fillfactor = 70)`,
  ...tenantTable('automation_tallies'),
  // Finds the messages that only provider events prove to be sent.
  `create index hand_offs_of_automations_not_accepted on hand_offs (workspace_id, id) where kind = 'automation' and state <> 'accepted'`,
]

const added = `on conflict (workspace_id, hour, kind, slot) do update set messages = known.messages + excluded.messages`

// A trigger waits for writers and blocks new ones until the migration commits, so that no row is missed.
const triggers = [
  `create function tally_accepted_emails() returns trigger language plpgsql set search_path from current as $$
   begin
     if tg_op = 'UPDATE' and old.state = 'accepted' then return null; end if;
     insert into automation_tallies as known (workspace_id, hour, kind, slot, messages)
     select new.workspace_id, hour_of_id(m.id), 'accepted', pg_backend_pid() % 16, count(*) from unnest(new.message_ids) as m (id) group by 2 order by 2
     ${added};
     return null;
   end $$`,
  `create trigger hand_offs_tallied after insert or update of state on hand_offs for each row
     when (new.kind = 'automation' and new.state = 'accepted') execute function tally_accepted_emails()`,
  // Emails are counted, not joined, so that the planner always uses the index.
  `create function tally_email_facts() returns trigger language plpgsql set search_path from current as $$
   begin
     with added as materialized (
       select n.workspace_id, n.origin_id, n.message_id, n.fact from now_rows n
        where n.fact not in ('skipped', 'failed')
          and (select count(*) from automation_emails e where e.workspace_id = n.workspace_id and e.id = n.message_id) > 0),
     counted as (
       select workspace_id, message_id, fact, -1 as known from added
       union all
       select t.workspace_id, t.message_id, f.fact, 1
         from (select distinct workspace_id, origin_id, message_id from added) t cross join lateral (
           select k.fact from message_facts k
            where k.origin_id = t.origin_id and k.message_id = t.message_id and k.fact not in ('skipped', 'failed') offset 0) f),
     facts as (
       select workspace_id, message_id, fact, sum(known) > 0 as was_known from counted group by 1, 2, 3),
     changed as (
       select workspace_id, message_id, message_outcome(array_agg(fact)) as now, message_outcome(array_agg(fact) filter (where was_known)) as was
         from facts group by 1, 2)
     insert into automation_tallies as known (workspace_id, hour, kind, slot, messages)
     select workspace_id, hour_of_id(message_id), kind, pg_backend_pid() % 16, sum(sign)
       from changed, lateral (values (now, 1), (was, -1)) as m (kind, sign)
      where kind in ('delivered', 'hard_bounced') group by 1, 2, 3 having sum(sign) <> 0 order by 1, 2, 3
     ${added};
     return null;
   end $$`,
  // The previous release, which sets the flag to 'yes', has tallied the facts of runs only.
  `create trigger message_facts_tallied_by_hour after insert on message_facts
     referencing new table as now_rows for each statement
     when (coalesce(current_setting('app.facts_tallied', true), '') <> 'all') execute function tally_email_facts()`,
]

const stored = [
  `select set_config('app.system', 'migration', true)`,
  `insert into automation_tallies (workspace_id, hour, kind, slot, messages)
   select h.workspace_id, hour_of_id(m.id), 'accepted', 0, count(*) from hand_offs h cross join lateral unnest(h.message_ids) as m (id)
    where h.kind = 'automation' and h.state = 'accepted' and ${isFilled('m.id')} group by 1, 2`,
  `insert into automation_tallies (workspace_id, hour, kind, slot, messages)
   select e.workspace_id, hour_of_id(e.id), k.outcome, 0, count(*) from automation_emails e cross join lateral (
       select message_outcome(array_agg(f.fact)) as outcome from message_facts f
        where f.origin_id = e.automation_id and f.message_id = e.id and f.fact not in ('skipped', 'failed')) k
    where ${isFilled('e.id')} and k.outcome in ('delivered', 'hard_bounced') group by 1, 2, 3`,
  `select set_config('app.system', '', true)`,
]

/**
 * The emails of automations by hour, kept by the transactions that store hand-offs and facts, so that the totals of the last days
 * are read as fast in a large workspace as in a small one.
 */
export class AutomationTallies extends Migration {
  override up(): void {
    for (const statement of [...table, ...triggers, ...stored, ...ownSearchPath()]) this.addSql(statement)
  }
}
