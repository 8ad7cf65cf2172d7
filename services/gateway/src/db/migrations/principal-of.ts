/**
 * One statement answers who a caller is and what they are in a workspace: it is asked for every request. It looks across
 * workspaces, since which one is meant is the question, and gives away nothing but the caller's own membership. It sets
 * `app.system` itself, because a clause of the function that does needs a superuser.
 */
export const principalOf = `create or replace function principal_of(asked_user text, asked_organization text, asked_workspace text)
  returns table (user_id uuid, username text, identity_type text, platform_role text, workspace_id uuid, is_archived boolean, role text)
  language plpgsql stable as $$
  declare
    before constant text := coalesce(current_setting('app.system', true), '');
  begin
    perform set_config('app.system', 'authenticate', true);
    return query
      select u.id, u.username, u.identity_type, u.platform_role, m.workspace_id, w.is_archived, m.role
        from users u
        left join (memberships m
          join workspaces w on w.id = m.workspace_id
          join organizations o on o.id = w.organization_id)
          on m.user_id = u.id and o.slug = asked_organization and w.slug = asked_workspace
       where u.wallet_user_id = asked_user;
    perform set_config('app.system', before, true);
  end $$`
