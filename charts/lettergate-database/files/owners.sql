do $$
declare
  service record;
  owner regrole;
  thing text;
begin
  execute format('revoke create, temporary on database %I from public', current_database());
  revoke create on schema public from public;
  for service in select schema from (values ('automations', 'automations'), ('campaigns', 'campaigns'), ('contacts', 'contacts'), ('identity', 'identity'), ('imports', 'imports'), ('sending', 'sending'), ('webhooks', 'webhooks')) s (schema, role) loop
    owner := format('%I', service.schema || '_owner')::regrole;
    if not (select rolsuper from pg_roles where rolname = current_user) then
      execute format('grant %s to current_user', owner);
    end if;
    execute format('create schema if not exists %I authorization %s', service.schema, owner);
    for thing in
      select format('schema %I', service.schema) from pg_namespace
       where nspname = service.schema and nspowner <> owner
      union all
      select format('%s %s', case relkind when 'S' then 'sequence' when 'v' then 'view'
                                          when 'm' then 'materialized view' else 'table' end, oid::regclass)
        from pg_class
       where relnamespace = service.schema::regnamespace and relowner <> owner
         and (relkind in ('r', 'p', 'v', 'm') or relkind = 'S' and not exists (
               select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype in ('a', 'i')))
      union all
      select format('routine %s', oid::regprocedure) from pg_proc
       where pronamespace = service.schema::regnamespace and proowner <> owner
      union all
      select format('type %s', oid::regtype) from pg_type
       where typnamespace = service.schema::regnamespace and typowner <> owner and typtype in ('d', 'e', 'r')
    loop
      execute format('alter %s owner to %s', thing, owner);
    end loop;
  end loop;
end $$;
