import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Reports of launch preflights. They are never changed. */
export class Preflights extends Migration {
  override up(): void {
    const statements = [
      `create table preflights (
         workspace_id uuid not null,
         id uuid not null,
         report jsonb not null,
         report_checksum text not null,
         requested_by text not null,
         completed_at timestamptz not null,
         primary key (workspace_id, id))`,
      ...tenantTable('preflights'),
      ...appendOnly('preflights'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
