import { Migration } from '@mikro-orm/migrations'

/**
 * Who appends facts and knows what was known before adds to the tallies in the same statement, and says so. The trigger, which
 * reads all that is known again, counts for everybody else: the release before, and whoever appends facts in another way.
 */
export class FactsTalliedOnce extends Migration {
  override up(): void {
    this.addSql(`drop trigger message_facts_tallied on message_facts`)
    this.addSql(`create trigger message_facts_tallied after insert on message_facts
      referencing new table as now_rows for each statement
      when (coalesce(current_setting('app.facts_tallied', true), '') = '') execute function tally_message_facts()`)
    // Only the sum over the slots means something.
    this
      .addSql(`alter table event_counts add column slot smallint not null default 0, drop constraint event_counts_pkey,
      add primary key (workspace_id, origin_id, kind, slot)`)
  }
}
