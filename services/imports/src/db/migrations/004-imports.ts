import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Import jobs and their encrypted payloads. */
export class Imports extends Migration {
  override up(): void {
    for (const statement of [...jobs, ...chunks]) this.addSql(statement)
  }
}

const jobs = [
  // The constraints guarantee that an import that has ended has no key, so nothing can read its payload any more.
  `create table import_jobs (
     workspace_id uuid not null,
     id uuid not null,
     status text not null default 'uploaded' check (status in
       ('uploaded', 'dry_run_queued', 'dry_run_running', 'ready_for_review', 'apply_queued', 'applying', 'completed', 'failed', 'cancelled', 'expired')),
     epoch integer not null default 1,
     audience_id uuid not null,
     filename text not null,
     source_label text not null,
     file_sha256 text not null,
     payload_size integer not null check (payload_size > 0),
     chunk_count integer not null check (chunk_count > 0),
     sealed_key text,
     encoding text not null,
     delimiter text not null,
     headers jsonb not null,
     mapping jsonb not null default '{}',
     consent_policy text check (consent_policy in ('review_required', 'explicit_opt_in', 'status_column')),
     policy jsonb not null default '{}',
     report jsonb not null default '{}',
     report_checksum text,
     approval_checksum text,
     requested_by_wallet_id text not null,
     approved_by_wallet_id text,
     correlation_id text not null,
     attempt_count integer not null default 0,
     progress jsonb,
     suppressions_applied_through integer not null default 0,
     rows_applied_through integer not null default 0,
     lease_holder text,
     lease_until timestamptz,
     error jsonb,
     created_at timestamptz not null default now(),
     expires_at timestamptz not null,
     completed_at timestamptz,
     primary key (workspace_id, id),
     check ((sealed_key is null) = (status in ('completed', 'cancelled', 'expired'))),
     check ((completed_at is not null) = (status = 'completed')),
     check (status <> 'failed' or error is not null),
     check ((lease_holder is null) = (lease_until is null)))`,
  // What workers look for and what the sweep expires: only imports that have not ended.
  `create index import_jobs_open on import_jobs (status, id) where sealed_key is not null`,
  ...tenantTable('import_jobs'),
]

const chunks = [
  // No foreign key: the row of the job is written after the chunks. Ciphertext cannot be compressed.
  `create table import_chunks (
     workspace_id uuid not null,
     job_id uuid not null,
     position integer not null check (position >= 0),
     ciphertext bytea not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, job_id, position))`,
  `alter table import_chunks alter column ciphertext set storage external`,
  ...tenantTable('import_chunks'),
]
