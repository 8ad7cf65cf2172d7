import { Migration } from '@mikro-orm/migrations'

/**
 * A writer that knows the earlier facts adds to the tallies in the same statement and sets a flag. Without the flag the
 * trigger reads all facts again and adds to the tallies, for the previous release and other writers.
 */
export class FactsTalliedOnce extends Migration {
  override up(): void {
    this.addSql(`drop trigger message_facts_tallied on message_facts`)
    this.addSql(`create trigger message_facts_tallied after insert on message_facts
      referencing new table as now_rows for each statement
      when (coalesce(current_setting('app.facts_tallied', true), '') = '') execute function tally_message_facts()`)
    // Only the sum over the slots is meaningful.
    this
      .addSql(`alter table event_counts add column slot smallint not null default 0, drop constraint event_counts_pkey,
      add primary key (workspace_id, origin_id, kind, slot)`)
  }
}
