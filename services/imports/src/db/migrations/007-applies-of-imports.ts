import { Migration } from '@mikro-orm/migrations'

/** How often an import was applied from its first row, and which reader its report is of. */
export class AppliesOfImports extends Migration {
  override up(): void {
    this.addSql(`alter table import_jobs
      add column apply_number smallint not null default 0 check (apply_number >= 0),
      add column reader_version smallint not null default 1`)
  }
}
