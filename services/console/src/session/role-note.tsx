import type { Capability } from '@lettergate/client'
import { Text } from '@mantine/core'
import { PageLink } from '../parts/link.tsx'
import { inWords } from '../parts/words.ts'
import { useWorkspace } from './workspace.tsx'

/** The capabilities that an editor does not have. */
const ofAdministrators: ReadonlySet<Capability> = new Set([
  'delete_contacts',
  'approve_imports',
  'manage_senders',
  'pause_delivery',
  'resolve_suppressions',
  'manage_subscription_sources',
  'manage_team_roles',
  'manage_audiences',
])

/** Says who can change a page, or see it at all, to a user who cannot: its buttons are not there for them. */
export function RoleNote({ needs, isHidden = false }: { needs: Capability; isHidden?: boolean }) {
  const { may, workspace } = useWorkspace()
  if (may(needs)) return null
  return (
    <Text size="sm" role="note">
      Your role here, {inWords(workspace.role).toLowerCase()},{' '}
      {isHidden ? 'cannot see this page.' : 'can read this page.'}{' '}
      {workspace.is_archived
        ? 'Some actions are off, because the workspace is archived.'
        : ofAdministrators.has(needs)
          ? `Owners and brand admins can ${isHidden ? 'see it' : 'make changes'}.`
          : 'Owners, brand admins and editors can make changes.'}{' '}
      <PageLink to="/team">What each role can do</PageLink>
    </Text>
  )
}
