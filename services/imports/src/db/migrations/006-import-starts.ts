import { Migration } from '@mikro-orm/migrations'

/** When an import was queued, and how often workers started on it since without progress. */
export class ImportStarts extends Migration {
  override up(): void {
    this.addSql(`alter table import_jobs
      add column queued_at timestamptz not null default now(),
      add column starts integer not null default 0 check (starts >= 0),
      add column start_after timestamptz not null default now()`)
  }
}
