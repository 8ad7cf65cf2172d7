import { Migration } from '@mikro-orm/migrations'

/** Why a run paused itself, and the numbers from which it is judged after a person resumed it. */
export class RunBreaker extends Migration {
  override up(): void {
    this.addSql(
      `alter table campaign_runs
         add column paused_by jsonb,
         add column judged_from jsonb not null default '{"settled": 0, "complained": 0, "hard_bounced": 0}'`,
    )
    // Resuming or ending a run clears the reason of its pause.
    this.addSql(
      `create function forget_pause() returns trigger language plpgsql as $$
         begin
           new.paused_by := null;
           return new;
         end $$`,
    )
    this.addSql(
      `create trigger campaign_runs_pause_over before update of state on campaign_runs for each row
         when (old.state = 'paused' and new.state <> 'paused') execute function forget_pause()`,
    )
  }
}
