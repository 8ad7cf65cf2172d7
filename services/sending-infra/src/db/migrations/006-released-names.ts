import { Migration } from '@mikro-orm/migrations'

export class ReleasedNames extends Migration {
  override up(): void {
    const statements = [
      // The number of domains with this name in the workspaces of the organization. At zero the name is released.
      `alter table domain_holders add column domains integer not null default 0`,
      `create function count_held_domains() returns trigger language plpgsql set search_path from current as $$
         begin
           if tg_op = 'INSERT' then
             update domain_holders set domains = domains + 1 where domain_name = new.domain_name;
           else
             update domain_holders set domains = domains - 1 where domain_name = old.domain_name;
             delete from domain_holders where domain_name = old.domain_name and domains <= 0;
           end if;
           return null;
         end $$`,
      // Creating the trigger locks the table, so no domain is added or deleted while the existing ones are counted.
      `create trigger sending_domains_held after insert or delete on sending_domains for each row execute function count_held_domains()`,
      `select set_config('app.system', 'migrate', true)`,
      `update domain_holders h set domains = (select count(*) from sending_domains d where d.domain_name = h.domain_name)`,
      `delete from domain_holders where domains = 0`,
      `select set_config('app.system', '', true)`,
    ]
    for (const statement of statements) this.addSql(statement)
  }
}
