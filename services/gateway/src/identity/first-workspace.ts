import { parseSlug } from '@lettergate/values/slug'
import { requiredText } from '@lettergate/values/text'
import type { Seeds } from '../seed.ts'

/** The input of create-workspace.ts. */
export interface FirstWorkspace {
  organization: string
  'organization-name': string
  workspace: string
  'workspace-name': string
  /** the id of the owner in the wallet */
  owner: string
}

/**
 * A workspace with its organization and its owner. If the owner is new to Lettergate, it becomes an owner of the platform, too.
 * Throws a Fault that names a wrong field.
 */
export const firstWorkspace = (given: FirstWorkspace): Seeds => {
  const owner = requiredText('owner', given.owner, 200)
  return {
    users: [{ id: owner, identityType: 'human', platformRole: 'owner' }],
    workspaces: [
      {
        organization: parseSlug('organization', given.organization, 60),
        organizationName: requiredText('organization-name', given['organization-name'], 200),
        workspace: parseSlug('workspace', given.workspace, 60),
        name: requiredText('workspace-name', given['workspace-name'], 200),
        isArchived: false,
        members: { [owner]: 'owner' },
      },
    ],
  }
}
