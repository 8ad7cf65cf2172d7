import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const known = (row: string) =>
  `${row}.state = 'claimed' and coalesce(${row}.accepted_at, ${row}.delivered_at, ${row}.soft_failed_at, ${row}.hard_bounced_at, ${row}.provider_suppressed_at, ${row}.complained_at, ${row}.opened_at, ${row}.clicked_at, ${row}.unsubscribed_at) is not null`

/** The outcome of each message by the rule of the application at that time, once for each count. */
const tallied = `
  sum(sign) filter (where bounced_at is not null) as hard_bounced,
  sum(sign) filter (where bounced_at is null and delivered_at is not null) as delivered,
  sum(sign) filter (where bounced_at is null and delivered_at is null and soft_failed_at is not null) as soft_failed_only,
  sum(sign) filter (where opened_at is not null) as opened,
  sum(sign) filter (where clicked_at is not null) as clicked,
  sum(sign) filter (where complained_at is not null) as complained`

const columns = `hard_bounced, delivered, soft_failed_only, opened, clicked, complained`
const facts = (row: string) =>
  `${row}.workspace_id, ${row}.run_id, least(${row}.hard_bounced_at, ${row}.provider_suppressed_at) as bounced_at, ${row}.delivered_at, ${row}.soft_failed_at, ${row}.opened_at, ${row}.clicked_at, ${row}.complained_at, ${row}.unsubscribed_at`
const moments = `(values ('delivered', delivered_at), ('bounced', bounced_at), ('opened', opened_at), ('clicked', clicked_at), ('complained', complained_at), ('unsubscribed', unsubscribed_at))`
const coalesced = columns
  .split(', ')
  .map((name) => `coalesce(${name}, 0)`)
  .join(', ')
const added = columns
  .split(', ')
  .map((name) => `${name} = known.${name} + excluded.${name}`)
  .join(', ')

const tables = [
  // A slot may be negative. Only the sum over the slots of a run is meaningful.
  `create table run_tallies (
     workspace_id uuid not null,
     run_id uuid not null,
     slot smallint not null check (slot between 0 and 15),
     hard_bounced bigint not null,
     delivered bigint not null,
     soft_failed_only bigint not null,
     opened bigint not null,
     clicked bigint not null,
     complained bigint not null,
     primary key (run_id, slot)) with (fillfactor = 50)`,
  `create table run_timeline (
     workspace_id uuid not null,
     run_id uuid not null,
     kind text not null check (kind in ('delivered', 'bounced', 'opened', 'clicked', 'complained', 'unsubscribed')),
     minute timestamptz not null,
     slot smallint not null check (slot between 0 and 15),
     people bigint not null,
     primary key (run_id, kind, minute, slot)) with (fillfactor = 70)`,
]

const triggers = [
  // Claims and skips change no facts, so they only cost a check of the changed rows.
  `create function tally_run_recipients() returns trigger language plpgsql security definer set search_path from current as $$
   begin
     if not exists (select from now_rows n where ${known('n')}) and not exists (select from was_rows w where ${known('w')}) then
       return null;
     end if;
     with changed as (
       select 1 as sign, ${facts('n')} from now_rows n where ${known('n')}
       union all
       select -1 as sign, ${facts('w')} from was_rows w where ${known('w')}),
     timed as (
       insert into run_timeline as known (workspace_id, run_id, kind, minute, slot, people)
       select workspace_id, run_id, kind, date_trunc('minute', at, 'UTC'), pg_backend_pid() % 16, sum(sign)
         from changed, lateral ${moments} as m (kind, at) where at is not null
        group by 1, 2, 3, 4 having sum(sign) <> 0 order by 2, 3, 4
       on conflict (run_id, kind, minute, slot) do update set people = known.people + excluded.people),
     tallied as (select workspace_id, run_id, ${tallied} from changed group by workspace_id, run_id)
     insert into run_tallies as known (workspace_id, run_id, slot, ${columns})
     select workspace_id, run_id, pg_backend_pid() % 16, ${coalesced} from tallied
      where (${coalesced}) <> (0, 0, 0, 0, 0, 0) order by run_id
     on conflict (run_id, slot) do update set ${added};
     return null;
   end $$`,
  // Waits for writers and blocks new ones until the migration commits, so that no row is missed.
  `create trigger run_recipients_tallied after update on run_recipients
     referencing old table as was_rows new table as now_rows for each statement execute function tally_run_recipients()`,
]

const backfill = [
  `select set_config('app.system', 'migration', true)`,
  `insert into run_tallies (workspace_id, run_id, slot, ${columns})
   select workspace_id, run_id, 0, ${coalesced}
     from (select workspace_id, run_id, ${tallied} from (select 1 as sign, ${facts('r')} from run_recipients r where ${known('r')}) as people
            group by workspace_id, run_id) as counted`,
  `insert into run_timeline (workspace_id, run_id, kind, minute, slot, people)
   select workspace_id, run_id, kind, date_trunc('minute', at, 'UTC'), 0, count(*)
     from (select ${facts('r')} from run_recipients r where ${known('r')}) as people, lateral ${moments} as m (kind, at) where at is not null
    group by 1, 2, 3, 4`,
  `select set_config('app.system', '', true)`,
  ...tenantTable('run_tallies'),
  ...tenantTable('run_timeline'),
]

// Indexes of rare states among the recipients of a run, in list order. An update of other columns still stays on its page.
const indexes = [
  [`skipped`, `state = 'skipped'`],
  [`bounced`, `(hard_bounced_at is not null or provider_suppressed_at is not null)`],
  [`soft_failed`, `soft_failed_at is not null`],
  [`complained`, `complained_at is not null`],
  [`unsubscribed`, `unsubscribed_at is not null`],
].map(
  ([name, condition]) =>
    `create index run_recipients_${name} on run_recipients (run_id, normalized_email) where ${condition}`,
)

/**
 * The totals of reports and timelines, kept by the transactions that store facts, so that large runs are read as fast as
 * small ones.
 */
export class RunTallies extends Migration {
  override up(): void {
    for (const statement of [...tables, ...triggers, ...backfill, ...indexes]) this.addSql(statement)
  }
}
