import { Migration } from '@mikro-orm/migrations'
import { appendOnly } from '@lettergate/database/ddl'

const sha256 = (column: string) => `check (char_length(${column}) = 64 and ${column} !~ '[^0-9a-f]')`

/** Who an actor is and how it authenticated, and a hash chain over the entries. */
export class AuditLogChain extends Migration {
  override up(): void {
    const statements = [
      `alter table audit_log add column actor_kind text, add column auth_method text, add column trace_id text`,
      `create index audit_log_correlation on audit_log (correlation_id, id)`,
      // Lists are read by id since migration 002.
      `drop index audit_log_workspace`,
      `drop index audit_log_occurred_at`,

      // Entries without a seal, in order of arrival.
      `create table unsealed_audit_entries (
         arrival bigint generated always as identity primary key,
         entry_id uuid not null)`,
      // One seal for each entry: its hash, and the hash of the seal before.
      `create table audit_seals (
         position bigint primary key check (position > 0),
         entry_id uuid not null unique references audit_log (id),
         entry_sha256 text not null ${sha256('entry_sha256')},
         previous_sha256 text check ((position = 1) = (previous_sha256 is null)),
         sha256 text not null ${sha256('sha256')},
         sealed_at timestamptz not null)`,
      ...appendOnly('audit_seals'),
      // One row: the progress of the comparison of the log with its seals, and the newest seal that was compared.
      `create table audit_log_checks (
         id boolean primary key default true check (id),
         due_at timestamptz not null default now(),
         position bigint not null default 0,
         sha256 text,
         known_position bigint not null default 0,
         known_sha256 text)`,
      `insert into audit_log_checks default values`,

      // Every insert into the log queues the entry for sealing, in the same statement.
      `create function identity.queue_for_seal() returns trigger language plpgsql as $$
         begin
           insert into identity.unsealed_audit_entries (entry_id) select id from added order by id;
           return null;
         end $$`,
      `create trigger audit_log_unsealed after insert on audit_log referencing new table as added
         for each statement execute function identity.queue_for_seal()`,
      `select set_config('app.system', '007-audit-log-chain', true)`,
      `insert into unsealed_audit_entries (entry_id) select id from audit_log order by id`,
      `select set_config('app.system', '', true)`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
