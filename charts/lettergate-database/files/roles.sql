do $$
declare
  service record;
  wanted record;
  other name;
begin
  for wanted in
    select 'lettergate_migrator' as name, 'login noinherit' as attributes
    union all
    select role, 'login' from (values ('automations', 'automations'), ('campaigns', 'campaigns'), ('contacts', 'contacts'), ('identity', 'identity'), ('imports', 'imports'), ('sending', 'sending'), ('webhooks', 'webhooks')) s (schema, role)
    union all
    select schema || '_owner', 'nologin' from (values ('automations', 'automations'), ('campaigns', 'campaigns'), ('contacts', 'contacts'), ('identity', 'identity'), ('imports', 'imports'), ('sending', 'sending'), ('webhooks', 'webhooks')) s (schema, role)
  loop
    if not exists (select from pg_roles where rolname = wanted.name) then
      execute format('create role %I', wanted.name);
    end if;
    if exists (select from pg_roles where rolname = wanted.name
                  and (rolsuper or rolbypassrls or rolreplication or rolcreaterole or rolcreatedb)) then
      raise exception 'the role % may have no special rights: no superuser, bypassrls, replication, createrole or createdb', wanted.name;
    end if;
    for other in
      select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid
       where m.member = (select oid from pg_roles where rolname = wanted.name)
         and (wanted.name <> 'lettergate_migrator' or right(r.rolname, 6) <> '_owner')
    loop
      raise exception 'the role % may not be a member of %: revoke that first', wanted.name, other;
    end loop;
    execute format('alter role %I %s', wanted.name, wanted.attributes);
  end loop;
  for service in values ('automations', 'automations'), ('campaigns', 'campaigns'), ('contacts', 'contacts'), ('identity', 'identity'), ('imports', 'imports'), ('sending', 'sending'), ('webhooks', 'webhooks') loop
    execute format('grant %I to lettergate_migrator', service.column1 || '_owner');
  end loop;
end $$;
