import { Migration } from '@mikro-orm/migrations'

/** A fact has the id of the event that reported it, so that a second delivery of the event is recognised. */
export class FactsNameTheirEvent extends Migration {
  override up(): void {
    this.addSql(`alter table message_facts add column event_id uuid`)
  }
}
