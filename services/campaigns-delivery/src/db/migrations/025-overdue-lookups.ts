import { Migration } from '@mikro-orm/migrations'

/** When an alert named this hand-off, because the provider has not answered its lookups. */
export class OverdueLookups extends Migration {
  override up(): void {
    this.addSql(`alter table hand_offs add column lookup_alerted_at timestamptz`)
  }
}
