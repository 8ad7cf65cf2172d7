import { Migration } from '@mikro-orm/migrations'

/** When an event was last announced again; and an index that answers any page of a workspace's events, of one kind or all. */
export class EventReplays extends Migration {
  override up(): void {
    this.addSql('alter table provider_events add column replayed_at timestamptz')
    this.addSql('create index provider_events_listed on provider_events (workspace_id, event, id)')
  }
}
