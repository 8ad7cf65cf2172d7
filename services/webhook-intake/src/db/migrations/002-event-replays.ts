import { Migration } from '@mikro-orm/migrations'

/** The time of the last replay; and indexes for any page of a workspace's events, of one kind or all. */
export class EventReplays extends Migration {
  override up(): void {
    this.addSql('alter table provider_events add column replayed_at timestamptz')
    this.addSql('create index provider_events_listed on provider_events (workspace_id, event, id)')
  }
}
