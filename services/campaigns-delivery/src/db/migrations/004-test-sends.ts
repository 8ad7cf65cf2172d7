import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Messages to one given recipient, separate from those of runs, and the rehearsals that wait for provider events. */
export class TestSends extends Migration {
  override up(): void {
    for (const statement of [...testSends, ...rehearsals]) this.addSql(statement)
  }
}

const testSends = [
  // The id is the message id that the provider gets. One row is one call to the provider, stored before the call.
  `create table test_sends (
     workspace_id uuid not null,
     id uuid not null,
     purpose text not null check (purpose in ('test_send', 'rehearsal')),
     sender_identity_id uuid not null,
     content_version_id uuid not null,
     recipient_email text not null,
     contact_id uuid,
     connection_id uuid not null,
     domain_name text not null,
     region text not null,
     credential_env_key text not null,
     state text not null default 'queued' check (state in ('queued', 'accepted', 'delivered', 'failed')),
     hand_off_state text not null default 'claimed' check (hand_off_state in ('claimed', 'accepted', 'failed', 'unknown')),
     attempt_count smallint not null default 1 check (attempt_count between 0 and 1),
     provider_message_id text,
     reason text,
     duplicates integer not null default 0,
     lookups smallint not null default 0,
     next_lookup_at timestamptz,
     requested_by text not null,
     correlation_id text not null,
     created_at timestamptz not null default clock_timestamp(),
     settled_at timestamptz,
     accepted_at timestamptz,
     delivered_at timestamptz,
     soft_failed_at timestamptz,
     hard_bounced_at timestamptz,
     provider_suppressed_at timestamptz,
     complained_at timestamptz,
     opened_at timestamptz,
     clicked_at timestamptz,
     unsubscribed_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, content_version_id) references content_versions (workspace_id, id),
     check (hand_off_state <> 'failed' or reason is not null))`,
  // Counted by the caps.
  `create index test_sends_caps on test_sends (workspace_id, created_at)`,
  `create index test_sends_unsettled on test_sends (created_at) where hand_off_state in ('claimed', 'unknown')`,
  `create index test_sends_contact on test_sends (workspace_id, contact_id) where contact_id is not null`,
  ...tenantTable('test_sends'),

  `create table test_event_counts (
     workspace_id uuid not null,
     test_send_id uuid not null,
     kind text not null check (kind in ('accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained')),
     count integer not null check (count > 0),
     primary key (workspace_id, test_send_id, kind),
     foreign key (workspace_id, test_send_id) references test_sends (workspace_id, id))`,
  ...tenantTable('test_event_counts'),
]

const rehearsals = [
  `create table rehearsals (
     workspace_id uuid not null,
     id uuid not null,
     test_send_id uuid not null,
     state text not null default 'pending' check (state in ('pending', 'sent', 'verified', 'failed')),
     failure_reason text,
     signature_failures integer not null default 0,
     created_at timestamptz not null default clock_timestamp(),
     deadline_at timestamptz not null,
     verified_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, test_send_id) references test_sends (workspace_id, id),
     check ((state = 'verified') = (verified_at is not null)),
     check ((state = 'failed') = (failure_reason is not null)))`,
  `create unique index rehearsals_test_send on rehearsals (workspace_id, test_send_id)`,
  `create index rehearsals_open on rehearsals (deadline_at) where state in ('pending', 'sent')`,
  ...tenantTable('rehearsals'),
]
