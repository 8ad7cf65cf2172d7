import { Migration } from '@mikro-orm/migrations'

export class OldChecks extends Migration {
  override up(): void {
    // For deleting old checks, oldest first.
    this.addSql(`create index domain_checks_checked on domain_checks (checked_at)`)
  }
}
