import { Migration } from '@mikro-orm/migrations'

export class DomainHolders extends Migration {
  override up(): void {
    // Across organizations, so it belongs to no tenant and says nothing but whose a name is.
    this.addSql(`create table domain_holders (
      domain_name text primary key,
      organization text not null,
      held_since timestamptz not null default now())`)
  }
}
