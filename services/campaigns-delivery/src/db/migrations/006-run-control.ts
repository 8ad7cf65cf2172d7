import { Migration } from '@mikro-orm/migrations'

/** Deleted campaigns are hidden, and a job ends the recipients of runs that were ended early. */
export class RunControl extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column deleted_at timestamptz')
    // The run has pending recipients who will not be sent to. A job finds the run by this column and ends them.
    this.addSql('alter table campaign_runs add column has_leftovers boolean not null default false')
    this.addSql('create index campaign_runs_leftovers on campaign_runs (id) where has_leftovers')
    this.addSql('create index campaign_runs_of_campaign on campaign_runs (workspace_id, campaign_id, id)')
  }
}
