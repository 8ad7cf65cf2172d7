import { Migration } from '@mikro-orm/migrations'

export class Rechecks extends Migration {
  override up(): void {
    const statements = [
      // The obstacle of the last check; null after a successful check or without one.
      `alter table provider_connections add column check_obstacle text`,
      // The time of the next automatic check, and the number of failures in a row. The replica that takes a domain moves the time.
      `alter table sending_domains add column recheck_at timestamptz, add column recheck_failures integer not null default 0 check (recheck_failures >= 0)`,
      `create index sending_domains_recheck on sending_domains (recheck_at) where recheck_at is not null`,
      `select set_config('app.system', 'migrate', true)`,
      // Domains that were ready before this release stay ready.
      `update sending_domains set recheck_at = now() where last_check_passed`,
      `select set_config('app.system', '', true)`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
