import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'
import { eventTables } from '@lettergate/events/ddl'

export class ProviderEvents extends Migration {
  override up(): void {
    this.addSql(`create table provider_events (
      id uuid primary key,
      workspace_id uuid not null,
      connection_id uuid not null,
      provider_event_id text not null check (length(provider_event_id) between 1 and 200),
      event text not null check (event in ('accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained')),
      severity text check (severity is null or (severity in ('permanent', 'temporary') and event = 'failed')),
      reason text,
      message_id uuid,
      provider_message_id text,
      occurred_at timestamptz not null,
      received_at timestamptz not null,
      body_bytes integer not null,
      body_sha256 bytea not null check (length(body_sha256) = 32),
      contradicted_at timestamptz,
      constraint provider_events_once unique (connection_id, provider_event_id))`)
    for (const statement of tenantTable('provider_events')) this.addSql(statement)
    this.addSql(`create table consumed_tokens (
      token_sha256 bytea primary key check (length(token_sha256) = 32),
      provider_event_id text not null,
      consumed_at timestamptz not null default now())`)
    this.addSql(`create index consumed_tokens_consumed_at on consumed_tokens (consumed_at)`)
    for (const statement of eventTables()) this.addSql(statement)
  }
}
