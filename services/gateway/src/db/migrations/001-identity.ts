import { Migration } from '@mikro-orm/migrations'
import { appendOnly, tenantTable } from '@lettergate/database/ddl'
import { eventTables } from '@lettergate/events/ddl'
import { principalOf } from './principal-of.ts'

const slug = `check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$')`

export class Identity extends Migration {
  override up(): void {
    const statements = [
      `create table users (
         id uuid primary key,
         wallet_user_id text not null unique,
         username text,
         identity_type text not null check (identity_type in ('human', 'agent')),
         platform_role text check (platform_role in ('owner', 'administrator')),
         created_at timestamptz not null default now())`,
      `create table organizations (
         id uuid primary key,
         slug text not null unique ${slug},
         name text not null,
         created_at timestamptz not null default now())`,
      `create table workspaces (
         id uuid primary key,
         organization_id uuid not null references organizations (id),
         slug text not null ${slug},
         name text not null,
         is_archived boolean not null default false,
         production_sending_enabled boolean not null default false,
         created_at timestamptz not null default now(),
         unique (organization_id, slug))`,
      `create table memberships (
         workspace_id uuid not null references workspaces (id),
         user_id uuid not null references users (id),
         role text not null check (role in ('owner', 'brand_admin', 'editor', 'analyst')),
         created_at timestamptz not null default now(),
         primary key (workspace_id, user_id))`,
      `create index memberships_user on memberships (user_id)`,
      ...tenantTable('memberships'),
      `create table sessions (
         token_hash text primary key,
         user_id uuid not null references users (id),
         created_at timestamptz not null,
         last_used_at timestamptz not null)`,
      `create index sessions_created_at on sessions (created_at)`,
      `create table platform_gates (
         name text primary key,
         stored boolean not null,
         updated_by text,
         updated_at timestamptz)`,
      `insert into platform_gates (name, stored) values
         ('rate_limit_enabled', true), ('automation_enabled', true),
         ('production_sending_enabled', false), ('test_sends_enabled', false), ('synthetic_rehearsals_enabled', false)`,
      `create table audit_log (
         id uuid primary key,
         workspace_id uuid,
         action text not null,
         subject_type text not null,
         subject_id text not null,
         actor text not null,
         detail jsonb not null,
         occurred_at timestamptz not null,
         recorded_at timestamptz not null default now())`,
      `create index audit_log_workspace on audit_log (workspace_id, occurred_at desc)`,
      `create index audit_log_occurred_at on audit_log (occurred_at desc)`,
      ...tenantTable('audit_log'),
      ...appendOnly('audit_log'),
      `create table alerts (
         id uuid primary key,
         workspace_id uuid,
         code text not null,
         severity text not null check (severity in ('warning', 'critical')),
         summary text not null,
         detail jsonb not null,
         raised_at timestamptz not null,
         acknowledged_by text,
         acknowledged_at timestamptz)`,
      `create index alerts_open on alerts (raised_at desc) where acknowledged_at is null`,
      ...tenantTable('alerts'),
      principalOf,
      ...eventTables(),
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
