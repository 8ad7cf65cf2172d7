import { Migration } from '@mikro-orm/migrations'

/** When an alert ends by itself, unless it is raised again before. */
export class AlertsThatEnd extends Migration {
  override up(): void {
    this.addSql(`alter table alerts add column ends_at timestamptz`)
    this.addSql(`create index alerts_ending on alerts (ends_at) where acknowledged_at is null and ends_at is not null`)
  }
}
