import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Events of erased contacts keep their ids; personal data is removed from them, and from later events. */
export class ErasedMessages extends Migration {
  override up(): void {
    const statements = [
      `alter table provider_events add column erased_at timestamptz`,
      `create index provider_events_message on provider_events (workspace_id, message_id) where message_id is not null`,
      `create table erased_messages (
         workspace_id uuid not null,
         message_id uuid not null,
         erased_at timestamptz not null default now(),
         primary key (workspace_id, message_id))`,
      ...tenantTable('erased_messages'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
