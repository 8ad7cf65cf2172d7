import { Migration } from '@mikro-orm/migrations'

/** A row of an import is applied again if the import was mapped and approved again. */
export class AppliesOfImports extends Migration {
  override up(): void {
    this.addSql(`alter table import_rows add column apply_number smallint not null default 0 check (apply_number >= 0),
      drop constraint import_rows_pkey, add primary key (workspace_id, import_id, apply_number, pass, row_number)`)
  }
}
