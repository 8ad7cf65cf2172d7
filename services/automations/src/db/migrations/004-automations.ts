import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/** Automations with their immutable versions. */
export class Automations extends Migration {
  override up(): void {
    for (const statement of [...automations, ...versions]) this.addSql(statement)
  }
}

const automations = [
  // A slug stays taken, also when archived.
  `create table automations (
     workspace_id uuid not null,
     id uuid not null,
     name text not null,
     slug text not null check (slug ~ '^[a-z0-9]+(?:-[a-z0-9]+)*$'),
     description text,
     status text not null default 'draft' check (status in ('draft', 'ready_for_review', 'published', 'paused', 'archived')),
     current_version integer not null check (current_version >= 1),
     review_ready_version integer,
     review_ready_by_wallet_id text,
     review_ready_at timestamptz,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     constraint automations_slug unique (workspace_id, slug),
     check (num_nulls(review_ready_version, review_ready_by_wallet_id, review_ready_at) in (0, 3)),
     check (status <> 'ready_for_review' or review_ready_version = current_version))`,
  ...tenantTable('automations'),
]

const versions = [
  `create table automation_versions (
     workspace_id uuid not null,
     id uuid not null,
     automation_id uuid not null,
     version integer not null check (version >= 1),
     trigger_type text not null,
     definition jsonb not null,
     definition_checksum text not null check (definition_checksum ~ '^[0-9a-f]{64}$'),
     validation jsonb not null,
     preview jsonb not null,
     change_notes text,
     created_by_wallet_id text not null,
     created_at timestamptz not null default now(),
     primary key (workspace_id, id),
     unique (workspace_id, automation_id, version),
     foreign key (workspace_id, automation_id) references automations (workspace_id, id))`,
  ...tenantTable('automation_versions'),
  ...appendOnly('automation_versions'),
]
