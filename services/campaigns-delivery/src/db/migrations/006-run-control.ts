import { Migration } from '@mikro-orm/migrations'

/** What people do to campaigns and runs: a campaign that was deleted is hidden, a run that was ended early is tidied up by a job. */
export class RunControl extends Migration {
  override up(): void {
    this.addSql('alter table campaigns add column deleted_at timestamptz')
    // Its recipients still wait, though nobody will send to them; the job that says so of each finds the run by this.
    this.addSql('alter table campaign_runs add column has_leftovers boolean not null default false')
    this.addSql('create index campaign_runs_leftovers on campaign_runs (id) where has_leftovers')
    this.addSql('create index campaign_runs_of_campaign on campaign_runs (workspace_id, campaign_id, id)')
  }
}
