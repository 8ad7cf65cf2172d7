import { Migration } from '@mikro-orm/migrations'

/** People of the platform find a suppression by its id or address, whichever workspace made it. */
export class PlatformSuppressionsById extends Migration {
  override up(): void {
    this.addSql(`create index suppressions_of_platform on suppressions (id) where scope = 'platform'`)
    this.addSql(`create index platform_suppressions_by_address on platform_suppressions (normalized_email, id)`)
  }
}
