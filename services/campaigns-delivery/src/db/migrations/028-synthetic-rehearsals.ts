import { neverCommitted, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Capacity rehearsals and their reports. What a rehearsal writes besides is never committed. */
export class SyntheticRehearsals extends Migration {
  override up(): void {
    const statements = [
      `create table synthetic_rehearsals (
         workspace_id uuid not null,
         id uuid not null,
         state text not null default 'queued' check (state in ('queued', 'running', 'completed', 'failed')),
         recipient_count integer not null check (recipient_count between 100 and 10000),
         target_seconds integer not null,
         requested_by text not null,
         correlation_id text not null,
         trace jsonb not null default '{}',
         created_at timestamptz not null default clock_timestamp(),
         started_at timestamptz,
         leased_until timestamptz,
         provider_call_count integer not null default 0,
         elapsed_milliseconds integer,
         eligible_count integer,
         excluded_count integer,
         claimed_count integer,
         recovered_count integer,
         duplicate_claim_count integer,
         cleanup_verified boolean,
         report jsonb not null default '{}',
         report_checksum text not null,
         completed_at timestamptz,
         primary key (workspace_id, id),
         check ((state = 'queued') = (started_at is null)),
         check ((state = 'running') = (leased_until is not null)),
         check ((state in ('completed', 'failed')) = (completed_at is not null)),
         check (state <> 'completed' or cleanup_verified and provider_call_count = 0 and eligible_count + excluded_count = recipient_count))`,
      // One rehearsal at a time on the whole platform.
      `create unique index synthetic_rehearsals_one_running on synthetic_rehearsals (state) where state = 'running'`,
      `create index synthetic_rehearsals_queued on synthetic_rehearsals (id) where state = 'queued'`,
      ...tenantTable('synthetic_rehearsals'),
      `create trigger synthetic_rehearsals_ended before update on synthetic_rehearsals for each row
         when (old.state in ('completed', 'failed')) execute function refuse_change()`,
      `create trigger synthetic_rehearsals_kept before delete on synthetic_rehearsals for each row execute function refuse_change()`,
      ...neverCommitted(),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
