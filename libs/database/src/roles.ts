/** The role that owns a schema and its objects. It cannot log in; a migration uses it with SET ROLE. */
export const ownerOf = (schema: string): string => `${schema}_owner`

/** The role that logs in for migrations. It has no rights of its own. */
export const migratorRole = 'lettergate_migrator'

interface SchemaRole {
  schema: string
  role: string
}

const pairs = (schemas: readonly SchemaRole[]) =>
  schemas.map(({ schema, role }) => `('${schema}', '${role}')`).join(', ')

/**
 * An administrator runs this once for each server. It creates the roles without passwords. None of them is a superuser or a member
 * of another role, except the migrator, which is a member of the owner roles. Safe to repeat. It needs only CREATEROLE.
 */
export const rolesSql = (schemas: readonly SchemaRole[]): string => `do $$
declare
  service record;
  wanted record;
  other name;
begin
  for wanted in
    select '${migratorRole}' as name, 'login noinherit' as attributes
    union all
    select role, 'login' from (values ${pairs(schemas)}) s (schema, role)
    union all
    select schema || '_owner', 'nologin' from (values ${pairs(schemas)}) s (schema, role)
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
         and (wanted.name <> '${migratorRole}' or right(r.rolname, 6) <> '_owner')
    loop
      raise exception 'the role % may not be a member of %: revoke that first', wanted.name, other;
    end loop;
    execute format('alter role %I %s', wanted.name, wanted.attributes);
  end loop;
  for service in values ${pairs(schemas)} loop
    execute format('grant %I to ${migratorRole}', service.column1 || '_owner');
  end loop;
end $$;`

/**
 * An administrator runs this in each database after the roles exist. It forbids temporary objects, and gives every schema and its
 * objects to the owner role, including objects that an earlier release created as superuser. Safe to repeat. It needs a
 * superuser, or the role that owns the database and its objects and that created the roles.
 */
export const ownersSql = (schemas: readonly SchemaRole[]): string => `do $$
declare
  service record;
  owner regrole;
  thing text;
begin
  execute format('revoke create, temporary on database %I from public', current_database());
  revoke create on schema public from public;
  for service in select schema from (values ${pairs(schemas)}) s (schema, role) loop
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
end $$;`
