import { Migration } from '@mikro-orm/migrations'

/**
 * A run that a person created to send the unknown messages of another run again. A campaign has one live run at a time
 * (campaign_runs_one_live), so a run is resent by one run at a time. The newest of several is shown.
 */
export class ResentRuns extends Migration {
  override up(): void {
    this.addSql(`alter table campaign_runs
      add column resends_run_id uuid check (resends_run_id <> id),
      add foreign key (workspace_id, resends_run_id) references campaign_runs (workspace_id, id)`)
    this.addSql(
      `create index campaign_runs_resends on campaign_runs (workspace_id, resends_run_id, id) where resends_run_id is not null`,
    )
  }
}
