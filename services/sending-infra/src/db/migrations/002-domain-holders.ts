import { Migration } from '@mikro-orm/migrations'

export class DomainHolders extends Migration {
  override up(): void {
    // Shared by all organizations, so it belongs to no tenant. It holds only the organization of a name.
    this.addSql(`create table domain_holders (
      domain_name text primary key,
      organization text not null,
      held_since timestamptz not null default now())`)
  }
}
