import { Migration } from '@mikro-orm/migrations'
import { appendOnly, ownSearchPath, tenantTable } from '@lettergate/database/ddl'

/**
 * A recipient is written once, by the snapshot. Its message is described by one hand-off and by appended facts; two
 * functions derive state and outcome from them. Test sends use the same rows.
 */
export class HandOffsAndFacts extends Migration {
  override up(): void {
    const statements = [
      `select set_config('app.system', 'migration', true)`,
      ...handOffs,
      ...facts,
      ...moved,
      ...definition,
      ...tallies,
      ...slim,
      ...counts,
      ...guards,
      ...heard,
      ...ownSearchPath(),
      `select set_config('app.system', '', true)`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}

const providerFacts = [
  'accepted',
  'delivered',
  'soft_failed',
  'hard_bounced',
  'provider_suppressed',
  'complained',
  'opened',
  'clicked',
  'unsubscribed',
]
const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')

const handOffs = [
  `alter table hand_offs drop constraint hand_offs_workspace_id_run_id_fkey`,
  `drop index hand_offs_run`,
  `drop index hand_offs_unsettled`,
  `alter table hand_offs rename column run_id to origin_id`,
  // The run or the test send of the messages.
  `alter table hand_offs
     add column kind text not null default 'run' check (kind in ('run', 'test_send')),
     add column message_ids uuid[] not null default '{}'`,
  // The recipients of a hand-off that was put back and retried are not known any more.
  `update hand_offs h set message_ids = named.ids
     from (select workspace_id, hand_off_id, array_agg(id order by id) as ids from run_recipients where hand_off_id is not null group by 1, 2) as named
    where h.workspace_id = named.workspace_id and h.id = named.hand_off_id`,
  `insert into hand_offs (workspace_id, id, kind, origin_id, batch, message_ids, recipient_count, connection_id, domain_name, region, credential_env_key,
                          state, judged_at, claimed_at, provider_message_id, reason, settled_at, lookups, next_lookup_at)
   select workspace_id, gen_random_uuid(), 'test_send', id, 0, array[id], 1, connection_id, domain_name, region, credential_env_key,
          case when hand_off_state = 'failed' and attempt_count = 0 then 'put_back' else hand_off_state end, created_at, created_at,
          provider_message_id, reason, settled_at, lookups, next_lookup_at
     from test_sends`,
  `alter table hand_offs alter column kind drop default, alter column message_ids drop default, drop column recipient_count`,
  `alter table hand_offs add column recipient_count integer not null generated always as (cardinality(message_ids)) stored`,
  `create index hand_offs_of_batch on hand_offs (origin_id, batch)`,
  `create index hand_offs_unsettled on hand_offs (origin_id, claimed_at) where state in ('claimed', 'unknown')`,
]

const facts = [
  // The facts of a message: appended, never changed. The earliest time of a fact is when it happened; an earlier time that
  // is reported later is another row. 'skipped' and 'failed' end a message that was not handed over, with the reasons.
  `create table message_facts (
     workspace_id uuid not null,
     origin_id uuid not null,
     message_id uuid not null,
     fact text collate "C" not null check (fact in (${listed([...providerFacts, 'skipped', 'failed'])})),
     at timestamptz not null default clock_timestamp(),
     reasons text[],
     primary key (origin_id, message_id, fact, at),
     check ((fact in ('skipped', 'failed')) = (coalesce(cardinality(reasons), 0) > 0)))`,
  `create unique index message_facts_one_end on message_facts (message_id) where fact in ('skipped', 'failed')`,
  // Finds rare facts of a run without reading all of them.
  `create index message_facts_rare on message_facts (origin_id, fact)
    where fact in ('skipped', 'failed', 'soft_failed', 'hard_bounced', 'provider_suppressed', 'complained', 'unsubscribed')`,
  ...tenantTable('message_facts'),
]

const told = (table: string, origin: string) => `
  insert into message_facts (workspace_id, origin_id, message_id, fact, at)
  select m.workspace_id, m.${origin}, m.id, told.fact, told.at from ${table} m, lateral (values
    ${providerFacts.map((fact) => `('${fact}', m.${fact}_at)`).join(', ')}) as told (fact, at) where told.at is not null`

const moved = [
  told('run_recipients', 'run_id'),
  told('test_sends', 'id'),
  `insert into message_facts (workspace_id, origin_id, message_id, fact, reasons)
   select workspace_id, run_id, id, state, coalesce(reasons, array['unknown']) from run_recipients r
    where state = 'skipped' or state = 'failed' and not exists
      (select from hand_offs h where h.workspace_id = r.workspace_id and h.id = r.hand_off_id and h.state = 'failed')`,
  `insert into message_facts (workspace_id, origin_id, message_id, fact, at, reasons)
   select workspace_id, id, id, 'failed', coalesce(settled_at, created_at), array[coalesce(reason, 'refused')] from test_sends
    where hand_off_state = 'failed' and attempt_count = 0`,
  ...appendOnly('message_facts'),
]

// The only definition of state and outcome. Every report, list, filter, tally and reply uses these two functions.
const definition = [
  `create function message_outcome(facts text[]) returns text language sql immutable parallel safe
     return case when facts && array['hard_bounced', 'provider_suppressed'] then 'hard_bounced'
                 when facts && array['delivered'] then 'delivered'
                 when facts && array['soft_failed'] then 'soft_failed_only'
                 else 'no_terminal_event' end`,
  // Any fact proves that the provider has the message, whatever the result of our call was. Of several hand-offs, the one
  // that was not put back counts.
  `create function message_state(hand_off text, facts text[]) returns text language sql immutable parallel safe
     return case when hand_off = 'accepted' or facts && array[${listed(providerFacts)}]
                 then case message_outcome(facts) when 'no_terminal_event' then 'accepted' when 'soft_failed_only' then 'soft_failed'
                                                  else message_outcome(facts) end
                 when hand_off in ('claimed', 'unknown', 'failed') then hand_off
                 when facts && array['skipped'] then 'skipped'
                 when facts && array['failed'] then 'failed'
                 else 'pending' end`,
]

const counted = {
  hard_bounced: `message_outcome(facts) = 'hard_bounced'`,
  delivered: `message_outcome(facts) = 'delivered'`,
  soft_failed_only: `message_outcome(facts) = 'soft_failed_only'`,
  opened: `'opened' = any(facts)`,
  clicked: `'clicked' = any(facts)`,
  complained: `'complained' = any(facts)`,
}
const columns = Object.keys(counted)
const moments = {
  delivered: ['delivered'],
  bounced: ['hard_bounced', 'provider_suppressed'],
  opened: ['opened'],
  clicked: ['clicked'],
  complained: ['complained'],
  unsubscribed: ['unsubscribed'],
}
const people = (sign: string, at: string) => `
  select ${sign} as sign, workspace_id, origin_id, array_agg(fact) as facts,
         ${Object.entries(moments)
           .map(([kind, names]) => `min(${at}) filter (where fact in (${listed(names)})) as ${kind}_at`)
           .join(', ')}
    from told where ${at} is not null group by workspace_id, origin_id, message_id`

const tallies = [
  `drop trigger run_recipients_tallied on run_recipients`,
  `drop function tally_run_recipients()`,
  `create function tally_message_facts() returns trigger language plpgsql security definer set search_path from current as $$
   begin
     if not exists (select from now_rows where fact not in ('skipped', 'failed')) then return null; end if;
     with touched as (
       select distinct n.workspace_id, n.origin_id, n.message_id from now_rows n
         join campaign_runs r on r.workspace_id = n.workspace_id and r.id = n.origin_id where n.fact not in ('skipped', 'failed')),
     told as (
       select t.workspace_id, t.origin_id, t.message_id, f.fact, min(f.at) as now_at, min(f.at) filter (where n.message_id is null) as was_at
         from touched t cross join lateral (
           select k.fact, k.at from message_facts k
            where k.origin_id = t.origin_id and k.message_id = t.message_id and k.fact not in ('skipped', 'failed') offset 0) f
         left join now_rows n on n.origin_id = t.origin_id and n.message_id = t.message_id and n.fact = f.fact and n.at = f.at
        group by 1, 2, 3, 4),
     changed as materialized (${people('1', 'now_at')} union all ${people('-1', 'was_at')}),
     timed as (
       insert into run_timeline as known (workspace_id, run_id, kind, minute, slot, people)
       select workspace_id, origin_id, kind, date_trunc('minute', at, 'UTC'), pg_backend_pid() % 16, sum(sign)
         from changed, lateral (values ${Object.keys(moments)
           .map((kind) => `('${kind}', ${kind}_at)`)
           .join(', ')}) as m (kind, at) where at is not null
        group by 1, 2, 3, 4 having sum(sign) <> 0 order by 2, 3, 4
       on conflict (run_id, kind, minute, slot) do update set people = known.people + excluded.people),
     tallied as (
       select workspace_id, origin_id, ${Object.entries(counted)
         .map(([name, condition]) => `coalesce(sum(sign) filter (where ${condition}), 0) as ${name}`)
         .join(', ')} from changed group by workspace_id, origin_id)
     insert into run_tallies as known (workspace_id, run_id, slot, ${columns.join(', ')})
     select workspace_id, origin_id, pg_backend_pid() % 16, ${columns.join(', ')} from tallied
      where (${columns.join(', ')}) <> (${columns.map(() => '0').join(', ')}) order by origin_id
     on conflict (run_id, slot) do update set ${columns.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')};
     return null;
   end $$`,
  `create trigger message_facts_tallied after insert on message_facts
     referencing new table as now_rows for each statement execute function tally_message_facts()`,
]

const slim = [
  ...['skipped', 'bounced', 'soft_failed', 'complained', 'unsubscribed', 'failed'].map(
    (name) => `drop index run_recipients_${name}`,
  ),
  `alter table run_recipients ${[
    'state',
    'hand_off_id',
    'attempt',
    'reasons',
    ...providerFacts.map((fact) => `${fact}_at`),
  ]
    .map((column) => `drop column ${column} cascade`)
    .join(', ')}`,
  `alter table run_recipients set (fillfactor = 100)`,
  `alter table test_sends ${[
    'state',
    'hand_off_state',
    'attempt_count',
    'provider_message_id',
    'reason',
    'lookups',
    'next_lookup_at',
    'settled_at',
    'connection_id',
    'domain_name',
    'region',
    'credential_env_key',
    ...providerFacts.map((fact) => `${fact}_at`),
  ]
    .map((column) => `drop column ${column} cascade`)
    .join(', ')}`,
]

const counts = [
  `create table event_counts (
     workspace_id uuid not null,
     origin_id uuid not null,
     kind text not null check (kind in ('accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained')),
     count integer not null check (count > 0),
     primary key (workspace_id, origin_id, kind)) with (fillfactor = 50)`,
  `insert into event_counts (workspace_id, origin_id, kind, count)
   select workspace_id, run_id, kind, count from run_event_counts union all select workspace_id, test_send_id, kind, count from test_event_counts`,
  `drop table run_event_counts`,
  `drop table test_event_counts`,
  ...tenantTable('event_counts'),
]

const guards = [
  // The row lock of the batch ensures that a recipient is in at most one hand-off that was not put back.
  `create function refuse_second_hand_off() returns trigger language plpgsql set search_path from current as $$
   begin
     if new.kind = 'run' then
       perform from delivery_batches b where b.run_id = new.origin_id and b.batch = new.batch for update;
     end if;
     if exists (select from hand_offs h where h.workspace_id = new.workspace_id and h.origin_id = new.origin_id and h.batch = new.batch
                   and h.id <> new.id and h.state <> 'put_back' and h.message_ids && new.message_ids) then
       raise exception 'a message of hand-off % stands in another one', new.id using errcode = 'unique_violation', constraint = 'hand_offs_name_a_message_once';
     end if;
     return new;
   end $$`,
  `create trigger hand_offs_name_a_message_once before insert on hand_offs for each row execute function refuse_second_hand_off()`,
  // A put-back is final, because its recipients may have been handed over again.
  `create function refuse_return() returns trigger language plpgsql as $$
   begin
     raise exception 'hand-off % was put back', new.id using errcode = 'restrict_violation';
   end $$`,
  `create trigger hand_offs_put_back_for_good before update of state, message_ids on hand_offs for each row
     when (old.state = 'put_back' and new.state <> 'put_back' or old.message_ids <> new.message_ids) execute function refuse_return()`,
  // When contacts were handed over under an audience with a minimum interval. Overlapping runs check it.
  `create table interval_claims (
     workspace_id uuid not null,
     audience_id uuid not null,
     contact_id uuid not null,
     hand_off_id uuid not null,
     claimed_at timestamptz not null,
     minimum_interval_seconds integer not null check (minimum_interval_seconds > 0),
     primary key (workspace_id, audience_id, contact_id)) with (fillfactor = 70)`,
  ...tenantTable('interval_claims'),
  // When the end of a run was checked: every recipient had a final state, or an alert was raised.
  `alter table campaign_runs add column ends_checked_at timestamptz`,
  `create index campaign_runs_unchecked on campaign_runs (id) where ends_checked_at is null and state in ('completed', 'cancelled', 'unscheduled', 'failed')`,
  `drop index campaign_runs_leftovers`,
  `create index campaign_runs_leftovers on campaign_runs (id) where has_leftovers`,
]

const heard = [
  // Contacts who recently withdrew: an older verdict must be requested again. Deleted after an hour.
  `create table refusals_heard (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     heard_at timestamptz not null default clock_timestamp(),
     primary key (workspace_id, id))`,
  `create index refusals_heard_at on refusals_heard (workspace_id, heard_at)`,
  ...tenantTable('refusals_heard'),
]
