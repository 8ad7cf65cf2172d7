import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { eventTables } from '@lettergate/events/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Templates with their immutable content versions, and campaigns with their immutable draft versions. */
export class Content extends Migration {
  override up(): void {
    for (const statement of [...eventTables(), ...templates, ...campaigns]) this.addSql(statement)
  }
}

const templates = [
  // A slug stays taken, also when archived. latest_version makes version numbers without gaps.
  `create table email_templates (
     workspace_id uuid not null,
     id uuid not null,
     name text not null,
     slug text not null check (slug ~ '^[a-z0-9]+(?:-[a-z0-9]+)*$'),
     description text,
     latest_version integer not null default 0 check (latest_version >= 0),
     archived_at timestamptz,
     created_by text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint email_templates_slug unique (workspace_id, slug))`,
  ...tenantTable('email_templates'),

  // The sanitised content that may be sent. The original HTML is not stored.
  `create table content_versions (
     workspace_id uuid not null,
     id uuid not null,
     template_id uuid not null,
     version integer not null check (version >= 1),
     subject text not null check (char_length(subject) <= 300),
     preheader text,
     sanitized_html text not null,
     plain_text text not null,
     personalization_defaults jsonb not null,
     validation jsonb not null,
     created_by text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     unique (workspace_id, template_id, version),
     foreign key (workspace_id, template_id) references email_templates (workspace_id, id))`,
  ...tenantTable('content_versions'),
  ...appendOnly('content_versions'),
]

const campaigns = [
  `create table campaigns (
     workspace_id uuid not null,
     id uuid not null,
     status text not null default 'draft' check (status in ('draft', 'scheduled', 'sending', 'sent', 'cancelled')),
     current_version integer not null check (current_version >= 1),
     created_by text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id))`,
  ...tenantTable('campaigns'),

  // Audiences and senders belong to other services. Their ids are checked when a version is created, and again before a
  // send.
  `create table campaign_draft_versions (
     workspace_id uuid not null,
     id uuid not null,
     campaign_id uuid not null,
     version integer not null check (version >= 1),
     name text not null,
     audience_ids uuid[] not null check (cardinality(audience_ids) >= 1),
     tag_filter jsonb,
     sender_identity_id uuid not null,
     content_version_id uuid not null,
     notes text,
     created_by text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     unique (workspace_id, campaign_id, version),
     foreign key (workspace_id, campaign_id) references campaigns (workspace_id, id),
     foreign key (workspace_id, content_version_id) references content_versions (workspace_id, id))`,
  ...tenantTable('campaign_draft_versions'),
  ...appendOnly('campaign_draft_versions'),
]
