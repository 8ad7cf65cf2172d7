import { Migration } from '@mikro-orm/migrations'
import { ownSearchPath, tenantTable } from '@lettergate/database/ddl'

const tables = [
  // The erased contact by id, the time and the actor, without personal data. The keyed hash stays until the address is added again.
  `create table erasures (
     workspace_id uuid not null,
     id uuid not null,
     contact_id uuid not null,
     key_id text,
     address_hmac bytea check (octet_length(address_hmac) = 32),
     requested_by text not null,
     requested_at timestamptz not null default now(),
     announced_at timestamptz not null default now(),
     late_since timestamptz,
     completed_at timestamptz,
     primary key (workspace_id, id),
     constraint erasures_contact unique (workspace_id, contact_id),
     check ((key_id is null) = (address_hmac is null)))`,
  `create index erasures_address on erasures (workspace_id, address_hmac) where address_hmac is not null`,
  `create index erasures_running on erasures (announced_at) where completed_at is null`,
  ...tenantTable('erasures'),

  // The rows that each service reports as deleted; a service may report in parts.
  `create table erasure_parts (
     workspace_id uuid not null,
     erasure_id uuid not null,
     service text not null,
     part integer not null check (part > 0),
     parts integer not null check (parts >= part),
     removed jsonb not null,
     reported_at timestamptz not null default now(),
     primary key (workspace_id, erasure_id, service, part),
     foreign key (workspace_id, erasure_id) references erasures (workspace_id, id))`,
  ...tenantTable('erasure_parts'),
]

const suppressions = [
  // A suppression stays after its contact is erased. The keyed hash of the erasure finds it again.
  `alter table suppressions drop constraint if exists suppressions_workspace_id_contact_id_fkey`,
  // The address of a platform suppression, once no workspace has it any more. Then normalized_email is 'erased:<id>'.
  `alter table platform_suppressions
     add column key_id text,
     add column address_hmac bytea check (octet_length(address_hmac) = 32),
     add check ((key_id is null) = (address_hmac is null))`,
  `create index platform_suppressions_address on platform_suppressions (address_hmac) where address_hmac is not null`,
  // Across all workspaces, which a tenant's transaction cannot see: whether a platform suppression is still about somebody.
  `create function is_known_anywhere(address text) returns boolean language plpgsql set search_path from current as $$
   declare
     system constant text := coalesce(current_setting('app.system', true), '');
     known boolean;
   begin
     perform set_config('app.system', 'erase-contact', true);
     known := exists (
       select from workspaces w
        cross join lateral (select from contacts c where c.workspace_id = w.workspace_id and c.normalized_email = address limit 1) one);
     perform set_config('app.system', system, true);
     return known;
   end $$`,
]

export class Erasures extends Migration {
  override up(): void {
    for (const statement of [...tables, ...suppressions, ...ownSearchPath()]) this.addSql(statement)
  }
}
