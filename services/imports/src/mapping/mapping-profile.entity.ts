import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import { defineEntity, p } from '@mikro-orm/core'
import { sha256Of } from '@lettergate/canonical-json'
import type { MappingProfileSchema } from '@lettergate/contracts/imports/v1/imports'
import { column, kyselyOf, newId, sql, statement, type Em } from '@lettergate/database'
import { Fault } from '@lettergate/fault'
import { parseUuid } from '@lettergate/values/uuid'
import { builtInProfiles, type Profile } from './built-in-profiles.ts'
import type { Mapping } from './import-mapping.ts'
import type { ImportPolicy } from './import-policy.ts'

/** A mapping that a workspace saved under a name. */
export const MappingProfile = defineEntity({
  name: 'MappingProfile',
  tableName: 'mapping_profiles',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    name: p.text(),
    mapping: p.json<Mapping>(),
    policy: p.json<ImportPolicy>(),
    mappingChecksum: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
    updatedBy: p.text(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
})

/** All profiles are one answer. */
export const profilesMax = 100
const profileCharsMax = 20_000

const saveProfileStatement = statement('save-mapping-profile', { id: column.uuid() })

/** SHA-256 over the mapping and the policy. */
export const mappingChecksum = (mapping: Mapping, policy: ImportPolicy): string => sha256Of({ mapping, policy })

/** The saved profiles of this workspace by name. */
export const selectProfiles = (em: Em, workspaceId: string) =>
  kyselyOf(em, MappingProfile)
    .selectFrom('mapping_profiles')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')

/** A saved or a built-in profile. Throws Fault `invalid_argument` naming profile_id, also for one of another workspace. */
export async function requireProfile(em: Em, workspaceId: string, given: string): Promise<Profile> {
  const id = parseUuid(given)
  const found =
    builtInProfiles.find((profile) => profile.id === id) ??
    (id === undefined ? undefined : await selectProfiles(em, workspaceId).where('id', '=', id).executeTakeFirst())
  if (found) return found
  throw new Fault(
    'invalid_argument',
    'profile_id',
    'profile_id: there is no such mapping profile. Use one that the list of mapping profiles has.',
  )
}

/** Throws a Fault for a name of a built-in profile, and for a profile that is too large to be listed. */
export function refuseUnsavable(name: string, mapping: Mapping, policy: ImportPolicy): void {
  if (builtInProfiles.some((profile) => profile.name.toLowerCase() === name.toLowerCase())) {
    throw new Fault(
      'conflict',
      'save_profile_name',
      'save_profile_name is the name of a built-in profile, which cannot be replaced. Choose another name.',
    )
  }
  if (JSON.stringify({ mapping, policy }).length > profileCharsMax) {
    throw new Fault(
      'invalid_argument',
      'save_profile_name',
      `save_profile_name: mapping and policy are longer than ${profileCharsMax} characters, so they cannot be saved. Leave out ignored headers.`,
    )
  }
}

/** Saves a profile, or replaces the one of this name, which keeps its id. Throws Fault `failed_precondition` above the limit. */
export async function saveProfile(
  em: Em,
  {
    workspaceId,
    ...profile
  }: { workspaceId: string; name: string; mapping: Mapping; policy: ImportPolicy; by: string },
): Promise<string> {
  const saved = await saveProfileStatement.row(
    em,
    sql`insert into mapping_profiles (workspace_id, id, name, mapping, policy, mapping_checksum, updated_by)
        select ${workspaceId}::uuid, ${newId()}::uuid, ${profile.name}::text, ${JSON.stringify(profile.mapping)}::jsonb,
               ${JSON.stringify(profile.policy)}::jsonb, ${mappingChecksum(profile.mapping, profile.policy)}::text, ${profile.by}::text
         where (select count(*) from mapping_profiles where workspace_id = ${workspaceId} and name <> ${profile.name}) < ${profilesMax}
        on conflict (workspace_id, name) do update set mapping = excluded.mapping, policy = excluded.policy,
               mapping_checksum = excluded.mapping_checksum, updated_by = excluded.updated_by, updated_at = now()
        returning id`,
  )
  if (saved) return saved.id
  throw new Fault(
    'failed_precondition',
    'mapping_profiles',
    `A workspace has at most ${profilesMax} mapping profiles, and this one has them. Save under a name that is there, which replaces it.`,
  )
}

/** The profile as the API shows it. */
export const profileReply = ({
  id,
  name,
  mapping,
  policy,
}: Profile): MessageInitShape<typeof MappingProfileSchema> => ({
  id,
  name,
  mapping: { ...mapping },
  policy: { ...policy } as JsonObject,
  mappingChecksum: mappingChecksum(mapping, policy),
})
