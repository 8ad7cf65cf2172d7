import { Migration } from '@mikro-orm/migrations'
import {
  appendOnly,
  checkedReference,
  ownSearchPath,
  tenantTable,
  type CheckedReference,
} from '@lettergate/database/ddl'

const tables = ['consent_evidence', 'contact_provenance']

/** More references that are checked once for each statement. */
export const sharedReferences: readonly CheckedReference[] = tables.map((table) => ({
  name: `${table}_shared`,
  table,
  columns: ['workspace_id', 'shared_id'],
  to: 'shared_details',
  key: ['workspace_id', 'id'],
  onDelete: 'never',
}))

const statements = [
  // What the rows of one import have in common. The hash is the one of RFC 8785.
  `create table shared_details (
     workspace_id uuid not null,
     id uuid not null,
     sha256 text not null check (char_length(sha256) = 64 and sha256 !~ '[^0-9a-f]'),
     details jsonb not null check (jsonb_typeof(details) = 'object'),
     primary key (workspace_id, id),
     constraint shared_details_sha256 unique (workspace_id, sha256))`,
  ...tenantTable('shared_details'),
  ...appendOnly('shared_details'),
  ...tables.map((table) => `alter table ${table} add column shared_id uuid`),
  ...sharedReferences.flatMap(checkedReference),
  ...ownSearchPath(),
]

/** Two of three bytes that an import wrote for a row were the same for each row. */
export class SharedDetailsOfRows extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement)
  }
}
