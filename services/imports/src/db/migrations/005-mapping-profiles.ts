import { Migration } from '@mikro-orm/migrations'
import { tenantTable } from '@lettergate/database/ddl'

/** Mappings that workspaces save under a name. */
export class MappingProfiles extends Migration {
  override up(): void {
    for (const statement of profiles) this.addSql(statement)
  }
}

const profiles = [
  `create table mapping_profiles (
     workspace_id uuid not null,
     id uuid not null,
     name text not null,
     mapping jsonb not null,
     policy jsonb not null,
     mapping_checksum text not null,
     created_at timestamptz not null default now(),
     updated_by text not null,
     updated_at timestamptz not null default now(),
     primary key (workspace_id, id),
     unique (workspace_id, name))`,
  ...tenantTable('mapping_profiles'),
]
