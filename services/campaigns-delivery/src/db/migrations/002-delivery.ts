import { Migration } from '@mikro-orm/migrations'
import { appendOnly, tenantTable } from '@lettergate/database/ddl'

/**
 * Runs and the delivery of their messages. Frequent updates are cheap: the state and facts of a recipient are in no index,
 * so an update stays on its page; a hand-off is one row for all its recipients.
 */
export class Delivery extends Migration {
  override up(): void {
    for (const statement of [...runs, ...recipients, ...handOffs, ...facts]) this.addSql(statement)
  }
}

const runs = [
  // A run in state 'building' is invisible while its recipients are inserted. A compare-and-set makes it 'scheduled'.
  `create table campaign_runs (
     workspace_id uuid not null,
     id uuid not null,
     campaign_id uuid not null,
     snapshot_id uuid not null,
     content_version_id uuid not null,
     sender_identity_id uuid not null,
     state text not null check (state in ('building', 'scheduled', 'sending', 'paused', 'completed', 'unscheduled', 'cancelled', 'failed')),
     scheduled_for timestamptz not null,
     included_count integer not null default 0 check (included_count >= 0),
     excluded_count integer not null default 0 check (excluded_count >= 0),
     exclusion_counts jsonb not null default '{}',
     held_by text,
     failure_reason text,
     scheduled_by text not null,
     correlation_id text not null,
     trace jsonb not null default '{}',
     building_seen_at timestamptz not null default now(),
     created_at timestamptz not null default now(),
     started_at timestamptz,
     completed_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, campaign_id) references campaigns (workspace_id, id),
     check (state <> 'completed' or completed_at is not null))`,
  // One live run of each campaign, also with concurrent schedules.
  `create unique index campaign_runs_one_live on campaign_runs (workspace_id, campaign_id) where state in ('building', 'scheduled', 'sending', 'paused')`,
  `create index campaign_runs_live on campaign_runs (state, scheduled_for) where state in ('building', 'scheduled', 'sending')`,
  ...tenantTable('campaign_runs'),

  // The audiences and counts of a run at the time of scheduling.
  `create table snapshots (
     workspace_id uuid not null,
     id uuid not null,
     run_id uuid not null,
     campaign_id uuid not null,
     draft_version integer not null,
     audience_ids uuid[] not null,
     included_count integer not null,
     excluded_count integer not null,
     exclusion_counts jsonb not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     foreign key (workspace_id, run_id) references campaign_runs (workspace_id, id))`,
  ...tenantTable('snapshots'),
  ...appendOnly('snapshots'),

  // Idempotency keys of sends never expire.
  `create table idempotency_keys (
     workspace_id uuid not null,
     operation text not null,
     key text not null,
     fingerprint text not null,
     resource_id uuid not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, operation, key))`,
  ...tenantTable('idempotency_keys'),
]

const recipients = [
  // The id is the message id that the provider gets as v:message_id. There is no foreign key to the run, because it would
  // cost one lookup for each of 100,000 rows; the writer checks the run in the same transaction.
  `create table run_recipients (
     workspace_id uuid not null,
     id uuid not null,
     run_id uuid not null,
     batch integer not null,
     contact_id uuid not null,
     audience_id uuid not null,
     normalized_email text collate "C" not null,
     state text not null default 'pending' check (state in ('pending', 'claimed', 'skipped', 'failed')),
     hand_off_id uuid,
     attempt smallint not null default 0,
     reasons text[],
     accepted_at timestamptz,
     delivered_at timestamptz,
     soft_failed_at timestamptz,
     hard_bounced_at timestamptz,
     provider_suppressed_at timestamptz,
     complained_at timestamptz,
     opened_at timestamptz,
     clicked_at timestamptz,
     unsubscribed_at timestamptz,
     constraint run_recipients_pkey primary key (id),
     constraint run_recipients_claimed check (state <> 'claimed' or hand_off_id is not null),
     constraint run_recipients_skipped check (state <> 'skipped' or cardinality(reasons) > 0)
   ) with (fillfactor = 70)`,
  // At most one message for each normalized address of a run.
  `create unique index run_recipients_once on run_recipients (run_id, normalized_email)`,
  `create index run_recipients_batch on run_recipients (run_id, batch)`,
  `create index run_recipients_failed on run_recipients (run_id) where state = 'failed'`,
  ...tenantTable('run_recipients'),

  // The unit of work, open while any of its recipients is pending. The message on the work queue only wakes a worker.
  `create table delivery_batches (
     workspace_id uuid not null,
     run_id uuid not null,
     batch integer not null,
     is_singles boolean not null default false,
     due_at timestamptz not null default now(),
     published_at timestamptz,
     done_at timestamptz,
     primary key (run_id, batch),
     foreign key (workspace_id, run_id) references campaign_runs (workspace_id, id) on delete cascade)`,
  `create index delivery_batches_open on delivery_batches (run_id, batch) where done_at is null`,
  ...tenantTable('delivery_batches'),
]

const handOffs = [
  // One call to the provider: stored as an intent before the call, settled by its answer.
  `create table hand_offs (
     workspace_id uuid not null,
     id uuid not null,
     run_id uuid not null,
     batch integer not null,
     connection_id uuid not null,
     domain_name text not null,
     region text not null,
     credential_env_key text not null,
     recipient_count integer not null check (recipient_count > 0),
     state text not null default 'claimed' check (state in ('claimed', 'accepted', 'put_back', 'failed', 'unknown')),
     judged_at timestamptz not null,
     claimed_at timestamptz not null default clock_timestamp(),
     provider_message_id text,
     reason text,
     settled_at timestamptz,
     lookups smallint not null default 0,
     next_lookup_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, run_id) references campaign_runs (workspace_id, id),
     check (judged_at <= claimed_at)) with (fillfactor = 70)`,
  `create index hand_offs_run on hand_offs (run_id)`,
  `create index hand_offs_unsettled on hand_offs (run_id, claimed_at) where state in ('claimed', 'unknown')`,
  ...tenantTable('hand_offs'),

  // The cooldown of a connection, shared by all workers.
  `create table connection_holds (
     workspace_id uuid not null,
     connection_id uuid not null,
     until timestamptz not null,
     failures integer not null,
     singles_until timestamptz,
     reason text not null,
     updated_at timestamptz not null default now(),
     primary key (workspace_id, connection_id))`,
  ...tenantTable('connection_holds'),
]

const facts = [
  `create table run_event_counts (
     workspace_id uuid not null,
     run_id uuid not null,
     kind text not null check (kind in ('accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained')),
     count integer not null check (count > 0),
     primary key (workspace_id, run_id, kind),
     foreign key (workspace_id, run_id) references campaign_runs (workspace_id, id))`,
  ...tenantTable('run_event_counts'),

  // When contacts withdrew, to attribute unsubscribes to runs.
  `create table consent_withdrawals (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     audience_id uuid,
     withdrawn_at timestamptz not null,
     primary key (workspace_id, id))`,
  `create index consent_withdrawals_at on consent_withdrawals (workspace_id, withdrawn_at)`,
  ...tenantTable('consent_withdrawals'),
  ...appendOnly('consent_withdrawals'),
]
