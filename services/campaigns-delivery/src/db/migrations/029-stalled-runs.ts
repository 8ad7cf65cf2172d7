import { Migration } from '@mikro-orm/migrations'

/** Since when a run that could be sent hands nothing over, and when an alert named it. */
export class StalledRuns extends Migration {
  override up(): void {
    this.addSql(`alter table campaign_runs add column idle_since timestamptz, add column stall_alerted_at timestamptz`)
  }
}
