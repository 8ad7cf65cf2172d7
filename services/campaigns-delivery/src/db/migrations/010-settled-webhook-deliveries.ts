import { Migration } from '@mikro-orm/migrations'

export class SettledWebhookDeliveries extends Migration {
  override up(): void {
    // Settled deliveries are deleted after some days, oldest first.
    this.addSql(
      `create index campaign_webhook_deliveries_settled on campaign_webhook_deliveries (settled_at) where settled_at is not null`,
    )
  }
}
