import { ownSearchPath } from '@lettergate/database/ddl'
import { Migration } from '@mikro-orm/migrations'

/**
 * When each switch was off, kept by a trigger. A service that handles an event late must know whether the switch was off when the
 * event happened.
 */
export class GateClosings extends Migration {
  override up(): void {
    for (const statement of [...closings, ...ownSearchPath()]) this.addSql(statement)
  }
}

const closings = [
  `create table gate_closings (
     name text not null references platform_gates (name),
     closed_at timestamptz not null,
     opened_at timestamptz,
     primary key (name, closed_at),
     check (opened_at >= closed_at))`,
  `create function record_gate_closing() returns trigger language plpgsql set search_path from current as $$
   begin
     if new.stored then
       update gate_closings set opened_at = greatest(now(), closed_at) where name = new.name and opened_at is null;
     else
       insert into gate_closings (name, closed_at) values (new.name, now())
       on conflict (name, closed_at) do update set opened_at = null;
     end if;
     return null;
   end $$`,
  `create trigger platform_gates_closings after update of stored on platform_gates for each row
     when (old.stored is distinct from new.stored) execute function record_gate_closing()`,
  `insert into gate_closings (name, closed_at)
   select name, coalesce(updated_at, 'epoch') from platform_gates where not stored`,
]
