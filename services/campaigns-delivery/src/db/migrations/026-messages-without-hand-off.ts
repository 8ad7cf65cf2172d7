import { Migration } from '@mikro-orm/migrations'

/** Counts messages that only provider events prove, because their hand-off is not stored, for example after a restore. */
export class MessagesWithoutHandOff extends Migration {
  override up(): void {
    this.addSql(`alter table run_tallies add column without_hand_off bigint not null default 0`)
  }
}
