import { Migration } from '@mikro-orm/migrations'

const types = ['scheduled', 'started', 'paused', 'resumed', 'completed', 'cancelled', 'unscheduled', 'failed']
const allTypes = [
  ...types.map((type) => `campaign_run.${type}`),
  'campaign_webhook.test',
  'person.bounced',
  'person.complained',
  'person.unsubscribed',
  'person.consent_changed',
]

/** Events about people on the campaign webhook, off by default. Their body is stored with them, because it names ids only. */
export class PersonEvents extends Migration {
  override up(): void {
    this.addSql(`alter table campaign_webhooks add column person_events boolean not null default false`)
    this.addSql(`alter table campaign_webhook_deliveries
      drop constraint campaign_webhook_deliveries_type_check,
      add constraint campaign_webhook_deliveries_type_check check (type in (${allTypes.map((type) => `'${type}'`).join(', ')})),
      drop constraint campaign_webhook_deliveries_check2,
      add constraint campaign_webhook_deliveries_run check (type not like 'campaign_run.%' or run_id is not null),
      add constraint campaign_webhook_deliveries_person check (type not like 'person.%' or (run_id is null and body is not null))`)
  }
}
