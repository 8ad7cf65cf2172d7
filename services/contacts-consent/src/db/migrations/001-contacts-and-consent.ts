import { Migration } from '@mikro-orm/migrations'
import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { eventTables } from '@lettergate/events/ddl'

const tables = [
  // The facts about workspaces from the gateway's events. An unknown workspace counts as archived.
  `create table workspaces (
     workspace_id uuid primary key,
     organization text not null,
     slug text not null,
     name text not null,
     is_archived boolean not null,
     changed_at timestamptz not null)`,

  `create table contacts (
     workspace_id uuid not null,
     id uuid not null,
     email text not null,
     normalized_email text not null,
     first_name text,
     last_name text,
     company text,
     country_code text check (country_code ~ '^[A-Z]{2}$'),
     locale text,
     timezone text,
     phone text,
     tags text[] not null default '{}' check (cardinality(tags) <= 50),
     custom_fields jsonb not null default '{}',
     is_legacy boolean not null default false,
     legacy_consent_evidence jsonb,
     legacy_consent_grade text not null default 'undocumented' check (legacy_consent_grade in ('documented', 'partial', 'undocumented')),
     legacy_consent_classification text generated always as (case when is_legacy then legacy_consent_grade end) stored,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint contacts_normalized_email unique (workspace_id, normalized_email))`,

  // One outside identity names one contact.
  `create table contact_sources (
     workspace_id uuid not null,
     source text not null,
     source_identifier text not null,
     contact_id uuid not null,
     primary key (workspace_id, source, source_identifier),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade)`,
  `create index contact_sources_contact on contact_sources (workspace_id, contact_id)`,

  // Where what we know of a contact came from: one row for each upsert.
  `create table contact_provenance (
     workspace_id uuid not null,
     contact_id uuid not null,
     id uuid not null,
     source text not null,
     source_identifier text,
     source_metadata jsonb,
     source_workspace text,
     actor text not null,
     actor_kind text not null,
     correlation_id text not null,
     is_creation boolean not null,
     recorded_at timestamptz not null default now(),
     primary key (workspace_id, contact_id, id),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade)`,

  // Versions are added, never changed; the highest is in force.
  `create table field_definitions (
     workspace_id uuid not null,
     id uuid not null,
     field_key text not null check (field_key ~ '^[a-z][a-z0-9_]{0,99}$'),
     version integer not null check (version > 0),
     label text not null,
     field_type text not null check (field_type in
       ('text', 'long_text', 'integer', 'decimal', 'boolean', 'date', 'datetime', 'single_choice', 'multiple_choice', 'url')),
     options text[] not null default '{}',
     created_by text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint field_definitions_version unique (workspace_id, field_key, version))`,

  // The catalogue of tag names; which contact has which stands on the contact.
  `create table tags (
     workspace_id uuid not null,
     id uuid not null,
     name text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint tags_name unique (workspace_id, name))`,

  `create table audiences (
     workspace_id uuid not null,
     id uuid not null,
     name text not null,
     slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
     purpose text not null,
     minimum_interval_seconds integer not null default 0 check (minimum_interval_seconds >= 0),
     created_at timestamptz not null default now(),
     archived_at timestamptz,
     primary key (workspace_id, id),
     constraint audiences_slug unique (workspace_id, slug))`,

  // Where one contact stands with one audience now; how it came to that is in consent_events.
  `create table memberships (
     workspace_id uuid not null,
     audience_id uuid not null,
     contact_id uuid not null,
     is_active boolean not null,
     consent text check (consent in ('granted', 'withdrawn')),
     consent_event_id uuid,
     consent_changed_at timestamptz,
     under_review_since timestamptz,
     last_handed_off_at timestamptz,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (workspace_id, audience_id, contact_id),
     foreign key (workspace_id, audience_id) references audiences (workspace_id, id) on delete cascade,
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id) on delete cascade)`,
  `create index memberships_contact on memberships (workspace_id, contact_id)`,

  // The consent record. It names ids, so that it can outlive the contact without telling who it was.
  `create table consent_events (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     kind text not null check (kind in ('granted', 'withdrawn', 'suppressed', 'resolved')),
     scope text not null check (scope in ('audience', 'workspace', 'platform')),
     audience_id uuid,
     suppression_id uuid,
     reason text,
     source text not null,
     wording_version text,
     evidence jsonb,
     form_identifier text,
     source_application text,
     actor text not null,
     actor_kind text not null,
     correlation_id text not null,
     occurred_at timestamptz not null,
     recorded_at timestamptz not null default now(),
     primary key (workspace_id, id),
     check ((scope = 'audience') = (audience_id is not null)),
     check (kind <> 'granted' or wording_version is not null))`,
  `create index consent_events_contact on consent_events (workspace_id, contact_id, id)`,

  `create table suppressions (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     scope text not null check (scope in ('audience', 'workspace', 'platform')),
     audience_id uuid,
     reason text not null check (reason in ('hard_bounce', 'complaint', 'unsubscribe', 'manual', 'import', 'legal', 'other')),
     source text not null,
     evidence jsonb,
     actor text not null,
     created_at timestamptz not null default now(),
     resolved_at timestamptz,
     resolved_by text,
     resolution_reason text,
     primary key (workspace_id, id),
     foreign key (workspace_id, contact_id) references contacts (workspace_id, id),
     foreign key (workspace_id, audience_id) references audiences (workspace_id, id),
     check ((scope = 'audience') = (audience_id is not null)),
     check ((resolved_at is null) = (resolution_reason is null)))`,
  `create unique index suppressions_unresolved on suppressions (workspace_id, contact_id, scope, audience_id, reason)
     nulls not distinct where resolved_at is null`,
  `create index suppressions_contact on suppressions (workspace_id, contact_id, id)`,

  // Holds in every organization, so it belongs to none; evidence and actor stay in the suppression of the same id.
  `create table platform_suppressions (
     id uuid primary key,
     normalized_email text not null,
     reason text not null,
     created_at timestamptz not null default now(),
     resolved_at timestamptz)`,
  `create index platform_suppressions_unresolved on platform_suppressions (normalized_email, id) where resolved_at is null`,
]

const tenantTables = [
  'workspaces',
  'contacts',
  'contact_sources',
  'contact_provenance',
  'field_definitions',
  'tags',
  'audiences',
  'memberships',
  'consent_events',
  'suppressions',
]

export class ContactsAndConsent extends Migration {
  override name = '001-contacts-and-consent'

  override up(): void {
    const statements = [
      ...tables,
      ...tenantTables.flatMap(tenantTable),
      ...appendOnly('consent_events'),
      ...appendOnly('field_definitions'),
      ...eventTables(),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
