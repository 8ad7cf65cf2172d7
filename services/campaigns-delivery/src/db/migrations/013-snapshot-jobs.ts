import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Snapshots as jobs of the workers, and the start of a connection's cooldown. */
export class SnapshotJobs extends Migration {
  override up(): void {
    for (const statement of [...jobs, ...cooldowns]) this.addSql(statement)
  }
}

const jobs = [
  // A requested snapshot until its run is scheduled. A failed one is kept for a while with the error for its caller.
  `create table snapshot_jobs (
     workspace_id uuid not null,
     run_id uuid not null,
     draft_version integer not null,
     batch_size integer not null check (batch_size > 0),
     requested_at timestamptz not null,
     attempts integer not null default 0,
     next_attempt_at timestamptz not null default now(),
     lease_id uuid,
     leased_until timestamptz,
     failure jsonb,
     failed_at timestamptz,
     primary key (workspace_id, run_id),
     check ((failure is null) = (failed_at is null)))`,
  `create index snapshot_jobs_open on snapshot_jobs (workspace_id, run_id) where failed_at is null`,
  `create index snapshot_jobs_failed on snapshot_jobs (failed_at) where failed_at is not null`,
  ...tenantTable('snapshot_jobs'),
]

const cooldowns = [
  `alter table connection_holds add column cooling_since timestamptz not null default now(), add column alerted_at timestamptz`,
]
