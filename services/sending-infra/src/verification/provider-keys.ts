import type { Ctx } from '../ctx.ts'
import { ownsKey } from '../domain/key-owners.ts'

export type MayName = (environmentKey: string) => boolean

/**
 * Which environment keys the organization of this workspace may name. People come with their organization; for jobs and
 * other services identity is asked, once for each workspace, and never while no rule is configured.
 */
export async function namableKeys(ctx: Ctx): Promise<MayName> {
  const { keyOwners } = ctx.config
  if (keyOwners === null) return () => true
  const organization = ctx.caller.organization ?? ctx.organizations.get(ctx.workspaceId) ?? (await organizationOf(ctx))
  return (key) => ownsKey(keyOwners, organization, key)
}

async function organizationOf(ctx: Ctx): Promise<string> {
  const { workspaceId } = ctx
  const { organization } = await ctx.identity.getWorkspaceFacts(ctx, { workspaceId })
  ctx.organizations.set(workspaceId, organization)
  return organization
}
