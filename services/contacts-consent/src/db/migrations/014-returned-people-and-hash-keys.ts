import { Migration } from '@mikro-orm/migrations'

/** Which contact an erased person came back as, and by which secrets erased addresses are recognised. */
export class ReturnedPeopleAndHashKeys extends Migration {
  override up(): void {
    // A link in an email of before the erasure ends mail to the new contact.
    this.addSql(`alter table erasures add column new_contact_id uuid`)
    // A hash of a constant tells whether the secret under a key id is still the same. The secret is not stored.
    this.addSql(`create table erasure_hash_keys (
      key_id text primary key,
      fingerprint bytea not null check (octet_length(fingerprint) = 32))`)
  }
}
