import { tenantTable } from '@lettergate/database/ddl'
import { eventTables } from '@lettergate/events/ddl'
import { Migration } from '@mikro-orm/migrations'

export class ConnectionsDomainsSenders extends Migration {
  override up(): void {
    const statements = [
      ...eventTables(),

      `create table provider_connections (
         id uuid primary key,
         workspace_id uuid not null,
         name text not null,
         region text not null check (region in ('us', 'eu')),
         credential_env_key text not null check (credential_env_key ~ '^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$'),
         webhook_signing_env_key text check (webhook_signing_env_key ~ '^(MAILPROVIDER|MAILGUN)_[A-Z0-9_]{1,100}$'),
         connection_state text not null default 'unchecked' check (connection_state in ('unchecked', 'verified', 'failed')),
         is_active boolean not null default false,
         checked_at timestamptz,
         activated_at timestamptz,
         activated_by text,
         created_by text not null,
         created_at timestamptz not null default now(),
         unique (workspace_id, id),
         check (not is_active or activated_at is not null))`,
      ...tenantTable('provider_connections'),

      `create table sending_domains (
         id uuid primary key,
         workspace_id uuid not null,
         domain_name text not null check (domain_name = lower(domain_name) and length(domain_name) <= 253),
         provider_connection_id uuid,
         provider_domain_reference text,
         provider_records jsonb not null,
         dkim_selector text,
         tracking_domain text,
         notes text,
         verification_state text not null default 'not_checked' check (verification_state in ('not_checked', 'pending', 'verified', 'failed')),
         spf_state text not null default 'not_checked' check (spf_state in ('not_checked', 'pending', 'verified', 'failed')),
         dkim_state text not null default 'not_checked' check (dkim_state in ('not_checked', 'pending', 'verified', 'failed')),
         dmarc_state text not null default 'not_checked' check (dmarc_state in ('not_checked', 'pending', 'verified', 'failed')),
         alignment_state text not null default 'not_checked' check (alignment_state in ('not_checked', 'aligned', 'misaligned')),
         quota_state text not null default 'not_checked' check (quota_state in ('not_checked', 'approved', 'insufficient')),
         webhooks_registered boolean not null default false,
         is_ready boolean not null generated always as (
           verification_state = 'verified' and spf_state = 'verified' and dkim_state = 'verified' and dmarc_state = 'verified'
           and alignment_state = 'aligned' and quota_state = 'approved' and webhooks_registered) stored,
         -- checks are numbered when they begin; only a later one may overwrite what a check saw
         checks_begun bigint not null default 0,
         check_applied bigint not null default 0,
         last_check_passed boolean not null default false,
         checked_at timestamptz,
         created_by text not null,
         created_at timestamptz not null default now(),
         unique (workspace_id, id),
         constraint sending_domains_name unique (workspace_id, domain_name),
         foreign key (workspace_id, provider_connection_id) references provider_connections (workspace_id, id),
         check (check_applied <= checks_begun))`,
      `create index sending_domains_connection on sending_domains (workspace_id, provider_connection_id)`,
      ...tenantTable('sending_domains'),

      `create table domain_checks (
         id uuid primary key,
         workspace_id uuid not null,
         sending_domain_id uuid not null,
         number bigint not null,
         passed boolean not null,
         is_ready boolean not null,
         evidence jsonb not null,
         requested_by text not null,
         checked_at timestamptz not null,
         unique (workspace_id, sending_domain_id, number),
         foreign key (workspace_id, sending_domain_id) references sending_domains (workspace_id, id) on delete cascade)`,
      ...tenantTable('domain_checks'),

      `create table sender_identities (
         id uuid primary key,
         workspace_id uuid not null,
         sending_domain_id uuid not null,
         display_name text not null,
         from_address text not null,
         reply_to text not null,
         is_enabled boolean not null default false,
         enabled_at timestamptz,
         enabled_by text,
         created_by text not null,
         created_at timestamptz not null default now(),
         unique (workspace_id, id),
         foreign key (workspace_id, sending_domain_id) references sending_domains (workspace_id, id),
         check (not is_enabled or enabled_at is not null))`,
      `create index sender_identities_domain on sender_identities (workspace_id, sending_domain_id)`,
      ...tenantTable('sender_identities'),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
