import type { Capability } from '@lettergate/client'
import { Text } from '@mantine/core'
import { PageLink } from '../parts/link.tsx'
import { whoCan } from '../parts/who-can.ts'
import { inWords } from '../parts/words.ts'
import { useWorkspace } from './workspace.tsx'

/** Says who can change a page, or see it at all, to a user who cannot: its buttons are not there for them. */
export function RoleNote({
  needs,
  isHidden = false,
  cannot,
}: {
  needs: Capability
  isHidden?: boolean
  /** on a page where other roles can do something else */ cannot?: string
}) {
  const { may, workspace } = useWorkspace()
  if (may(needs)) return null
  return (
    <Text size="sm" role="note">
      Your role here, {inWords(workspace.role).toLowerCase()},{' '}
      {cannot ? `cannot ${cannot}.` : isHidden ? 'cannot see this page.' : 'can read this page.'}{' '}
      {workspace.is_archived
        ? 'Some actions are off, because the workspace is archived.'
        : `${whoCan(needs)} can${cannot ? '' : isHidden ? ' see it' : ' make changes'}.`}{' '}
      <PageLink to="/team">What each role can do</PageLink>
    </Text>
  )
}
