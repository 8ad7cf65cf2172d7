import { Migration } from '@mikro-orm/migrations'

/** An id by which a user ends another session of theirs. The hash of the cookie stays in the database. */
export class SessionIds extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column id uuid not null default gen_random_uuid()')
    this.addSql('create unique index sessions_id on sessions (id)')
    this.addSql('create index sessions_user on sessions (user_id)')
  }
}
