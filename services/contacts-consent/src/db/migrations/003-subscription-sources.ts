import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

const tables = [
  // Who may hand in sign-ups, for what and from where. Wallet grants name the id, so it is looked up without a workspace.
  `create table subscription_sources (
     workspace_id uuid not null,
     id uuid not null,
     slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
     display_name text not null,
     status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
     allows_all_audiences boolean not null,
     allowed_audience_ids uuid[] not null,
     allowed_origins text[] not null check (cardinality(allowed_origins) > 0),
     created_by text not null,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint subscription_sources_slug unique (workspace_id, slug),
     constraint subscription_sources_id unique (id),
     check (allows_all_audiences = (cardinality(allowed_audience_ids) = 0)))`,

  // Static credentials by their hash alone; a source has at most one that is in force.
  `create table source_credentials (
     workspace_id uuid not null,
     id uuid not null,
     source_id uuid not null,
     credential_sha256 text not null check (credential_sha256 ~ '^[0-9a-f]{64}$'),
     created_by text not null,
     created_at timestamptz not null default now(),
     revoked_by text,
     revoked_at timestamptz,
     primary key (workspace_id, id),
     constraint source_credentials_sha256 unique (credential_sha256),
     foreign key (workspace_id, source_id) references subscription_sources (workspace_id, id) on delete cascade,
     check ((revoked_at is null) = (revoked_by is null)))`,
  `create unique index source_credentials_in_force on source_credentials (workspace_id, source_id) where revoked_at is null`,

  // One row for each event that was taken, with the claim as it was made. It outlives the contact, and then names nobody.
  `create table source_receipts (
     workspace_id uuid not null,
     source_id uuid not null,
     id uuid not null,
     idempotency_key text not null check (char_length(idempotency_key) between 1 and 200),
     source_event_id uuid not null,
     payload_sha256 text check (payload_sha256 ~ '^[0-9a-f]{64}$'),
     contact_id uuid,
     audience_id uuid not null,
     consent_event_id uuid not null,
     status text not null check (status in ('accepted', 'review_required', 'suppressed')),
     reason_class text check (reason_class in ('review_legacy_contact', 'review_consent_conflict',
       'suppressed_platform', 'suppressed_workspace', 'suppressed_audience')),
     is_membership_active boolean not null,
     wording_id text not null,
     wording_sha256 text not null check (wording_sha256 ~ '^[0-9a-f]{64}$'),
     privacy_policy_url text not null,
     privacy_policy_version text not null,
     form_id text not null,
     form_version text not null,
     page_origin text not null,
     page_path text,
     evidence_schema_version text not null,
     popup_campaign_id uuid,
     popup_version bigint check (popup_version > 0),
     attribution jsonb,
     captured_at timestamptz not null,
     correlation_id text not null,
     received_at timestamptz not null default now(),
     primary key (source_id, id),
     constraint source_receipts_key unique (source_id, idempotency_key),
     constraint source_receipts_event unique (source_id, source_event_id),
     foreign key (workspace_id, source_id) references subscription_sources (workspace_id, id),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete set null (contact_id),
     check ((status = 'accepted') = (reason_class is null)),
     check ((contact_id is null) = (payload_sha256 is null)))`,
  `create index source_receipts_contact on source_receipts (workspace_id, contact_id)`,
]

/** With the contact goes what could tell who it was: a hash over a known payload could, too. */
const anonymising = [
  `create function anonymise_source_receipt() returns trigger language plpgsql as $$
     begin
       new.payload_sha256 := null;
       new.page_path := null;
       new.attribution := null;
       new.popup_campaign_id := null;
       return new;
     end $$`,
  `create trigger source_receipts_anonymised before update of contact_id on source_receipts
     for each row when (new.contact_id is null) execute function anonymise_source_receipt()`,
]

export class SubscriptionSources extends Migration {
  override name = '003-subscription-sources'

  override up(): void {
    const statements = [
      ...tables,
      ...['subscription_sources', 'source_credentials', 'source_receipts'].flatMap(tenantTable),
      ...anonymising,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
