import { Migration } from '@mikro-orm/migrations'

/** Events for the alert webhook of the platform, with their attempts. */
export class AlertNotices extends Migration {
  override up(): void {
    this.addSql(`create table alert_notices (
      id uuid primary key,
      alert_id uuid not null references alerts (id) on delete cascade,
      body text not null,
      attempt_count smallint not null default 0,
      first_attempt_at timestamptz,
      next_attempt_at timestamptz,
      delivered_at timestamptz,
      last_error text)`)
    this.addSql(`create index alert_notices_of_alert on alert_notices (alert_id)`)
    this.addSql(`create index alert_notices_due on alert_notices (next_attempt_at) where next_attempt_at is not null`)
  }
}
