import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Marks the synthetic enrollments whose times are those of a virtual clock. They have idempotency keys of their own. */
export class VirtualClock extends Migration {
  override up(): void {
    for (const statement of [...marked, ...ownSearchPath()]) this.addSql(statement)
  }
}

const marked = [
  `alter table enrollments
     add column has_virtual_clock boolean not null default false,
     add check (not has_virtual_clock or synthetic_context_id is not null)`,
  `drop index enrollments_by_key`,
  `create unique index enrollments_by_key on enrollments (workspace_id, idempotency_key, has_virtual_clock) where idempotency_key is not null`,
]
