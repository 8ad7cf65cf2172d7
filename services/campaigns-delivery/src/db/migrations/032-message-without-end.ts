import { Migration } from '@mikro-orm/migrations'

/** A message of a run that is over and has no end, while its alert is open. */
export class MessageWithoutEnd extends Migration {
  override up(): void {
    this.addSql('alter table campaign_runs add column message_without_end uuid')
    this.addSql('create index campaign_runs_without_end on campaign_runs (id) where message_without_end is not null')
  }
}
