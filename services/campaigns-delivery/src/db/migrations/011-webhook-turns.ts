import { Migration } from '@mikro-orm/migrations'

/** Due deliveries and attempts under way of one workspace are found by index. */
export class WebhookTurns extends Migration {
  override up(): void {
    this.addSql(
      `create index campaign_webhook_deliveries_turns on campaign_webhook_deliveries (workspace_id, next_attempt_at, id) where state = 'pending'`,
    )
    this.addSql(
      `create index campaign_webhook_deliveries_leased on campaign_webhook_deliveries (workspace_id, leased_until)
         where state = 'pending' and leased_until is not null`,
    )
  }
}
