import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const stopped = [
  `create table stopped_imports (
     workspace_id uuid not null,
     import_id uuid not null,
     stopped_through smallint not null check (stopped_through >= 0),
     stopped_at timestamptz not null default now(),
     primary key (workspace_id, import_id))`,
  ...tenantTable('stopped_imports'),
]

/** Imports that were cancelled, or that begin again, apply no further row. */
export class StoppedImports extends Migration {
  override up(): void {
    for (const statement of stopped) this.addSql(statement)
  }
}
