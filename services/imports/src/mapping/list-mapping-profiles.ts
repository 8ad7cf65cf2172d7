import type {
  ListMappingProfilesRequest,
  ListMappingProfilesResponseSchema,
} from '@lettergate/contracts/imports/v1/imports'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { builtInProfiles } from './built-in-profiles.ts'
import { profileReply, selectProfiles } from './mapping-profile.entity.ts'

/** Lists the saved profiles by name, then the built-in ones. */
export async function listMappingProfiles(
  ctx: Ctx,
  _req: ListMappingProfilesRequest,
): Promise<Reply<typeof ListMappingProfilesResponseSchema>> {
  const saved = await ctx.tx((em) => selectProfiles(em, ctx.workspaceId).execute())
  return { profiles: [...saved, ...builtInProfiles].map(profileReply) }
}
