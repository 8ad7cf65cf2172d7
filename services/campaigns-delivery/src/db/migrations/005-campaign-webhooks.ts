import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** The webhook of a workspace and its deliveries. */
export class CampaignWebhooks extends Migration {
  override up(): void {
    for (const statement of [...webhooks, ...deliveries, ...changes]) this.addSql(statement)
  }
}

const webhooks = [
  // The secret is encrypted with a key from the configuration. The database never holds it in plain text.
  `create table campaign_webhooks (
     workspace_id uuid not null,
     url text,
     sealed_secret text,
     disabled_at timestamptz,
     disabled_reason text,
     updated_by text not null,
     updated_at timestamptz not null default now(),
     primary key (workspace_id),
     check ((disabled_at is null) = (disabled_reason is null)))`,
  ...tenantTable('campaign_webhooks'),
]

const deliveries = [
  // The id is the webhook-id, the same for all attempts. The body is written once, before the first attempt.
  `create table campaign_webhook_deliveries (
     workspace_id uuid not null,
     id uuid not null,
     type text not null check (type in ('campaign_run.scheduled', 'campaign_run.started', 'campaign_run.paused', 'campaign_run.resumed',
       'campaign_run.completed', 'campaign_run.cancelled', 'campaign_run.unscheduled', 'campaign_run.failed', 'campaign_webhook.test')),
     run_id uuid,
     run_state text,
     body text,
     state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
     failure_reason text,
     attempts jsonb not null default '[]',
     attempt_count smallint not null default 0,
     occurred_at timestamptz not null default clock_timestamp(),
     next_attempt_at timestamptz default clock_timestamp(),
     leased_until timestamptz,
     settled_at timestamptz,
     primary key (workspace_id, id),
     foreign key (workspace_id, run_id) references campaign_runs (workspace_id, id),
     check ((state = 'pending') = (settled_at is null)),
     check ((state = 'failed') = (failure_reason is not null)),
     check (type = 'campaign_webhook.test' or run_id is not null))`,
  `create index campaign_webhook_deliveries_due on campaign_webhook_deliveries (next_attempt_at) where state = 'pending'`,
  `create index campaign_webhook_deliveries_pending on campaign_webhook_deliveries (workspace_id) where state = 'pending'`,
  ...tenantTable('campaign_webhook_deliveries'),
]

/** A UUIDv7 of the current time, so that ids sort by time. */
const idOfNow = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) placing
  substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid`

const changes = [
  // Every state change of a run inserts a delivery for the webhook of the workspace, in the same transaction.
  `create function owe_campaign_webhook() returns trigger language plpgsql set search_path from current as $$
     begin
       insert into campaign_webhook_deliveries (workspace_id, id, type, run_id, run_state)
       select w.workspace_id, ${idOfNow}, 'campaign_run.' || kind, new.id, new.state
         from campaign_webhooks w,
              unnest(array[case when old.state = 'paused' and new.state in ('scheduled', 'sending') then 'resumed'
                                when new.state <> 'sending' then new.state end,
                           case when new.state = 'sending' and old.started_at is null then 'started' end]) as kind
        where kind is not null
          and w.workspace_id = new.workspace_id and w.url is not null and w.sealed_secret is not null and w.disabled_at is null;
       return null;
     end $$`,
  `create trigger campaign_runs_webhook after update of state on campaign_runs for each row
     when (old.state is distinct from new.state and new.state <> 'building') execute function owe_campaign_webhook()`,
]
