import type { Ctx } from '../ctx.ts'
import { ownsKey } from './key-owners.ts'

export type IsAllowedKey = (environmentKey: string) => boolean

/**
 * The environment keys that the organization of this workspace may use. The caller of a person has the organization. For jobs
 * and other services, the identity service is called once for each workspace, but not if no rule is configured.
 */
export async function allowedKeys(ctx: Ctx): Promise<IsAllowedKey> {
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
