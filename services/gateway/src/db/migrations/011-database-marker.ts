import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * Names the database in which the gates were opened. The marker of a restored database differs: a dump has another cluster or
 * another table, and a recovery to a point in time has another timeline.
 */
export class DatabaseMarker extends Migration {
  override up(): void {
    for (const statement of [...marker, ...ownSearchPath()]) this.addSql(statement)
  }
}

const marker = [
  `create function current_database_marker() returns text language sql stable set search_path from current as $$
     select concat_ws('/', (select system_identifier from pg_control_system()),
                      left(pg_walfile_name(pg_current_wal_lsn()), 8), 'platform_gates'::regclass::oid)
   $$`,
  `create table database_marker (
     is_only boolean primary key default true check (is_only),
     marker text not null)`,
  `insert into database_marker (marker) values (current_database_marker())`,
]
