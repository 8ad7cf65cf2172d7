import { Migration } from '@mikro-orm/migrations'

export class SeenVerified extends Migration {
  override up(): void {
    const statements = [
      // Whether the last check found verification, SPF, DKIM, DMARC and alignment in order. States set by people are in the state columns.
      `alter table sending_domains add column last_check_verified boolean not null default false`,
      `select set_config('app.system', 'migrate', true)`,
      `update sending_domains set last_check_verified = last_check_passed`,
      `select set_config('app.system', '', true)`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
