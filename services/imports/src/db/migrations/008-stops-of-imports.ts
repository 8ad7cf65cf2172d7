import { Migration } from '@mikro-orm/migrations'

/** Approved imports that ended or failed, until contacts-consent knows that no batch of them is written any more. */
export class StopsOfImports extends Migration {
  override up(): void {
    this.addSql(`alter table import_jobs add column stop_epoch integer check (stop_epoch > 0)`)
    this.addSql(`create index import_jobs_to_stop on import_jobs (id) where stop_epoch is not null`)
    // A release before this one told nothing about a failure.
    this.addSql(`select set_config('app.system', 'migration', true)`)
    this.addSql(`update import_jobs set stop_epoch = epoch where status = 'failed' and approval_checksum is not null`)
    this.addSql(`select set_config('app.system', '', true)`)
  }
}
