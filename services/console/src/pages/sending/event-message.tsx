import type { DescribedMessage } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { PageLink } from '../../parts/link.tsx'
import { AutomationLink } from '../../session/automation-link.tsx'

/** What sent the message of an event. */
export function SentBy({ message }: { message: DescribedMessage | undefined }) {
  if (message === undefined) return '–'
  const { kind, origin_id: id, campaign_name: campaign } = message
  if (kind === 'run') return <PageLink to={`/runs/${id}`}>{campaign ?? 'A run'}</PageLink>
  if (kind === 'automation') return <AutomationLink id={id} />
  return kind === 'test_send' ? <PageLink to="/testing">A test</PageLink> : 'Confirmation of a sign-up'
}

/** Who the message of an event is to, with the page of the contact. */
export function SentTo({ message }: { message: DescribedMessage | undefined }) {
  if (message === undefined) return '–'
  const { contact_id: id, email } = message
  return id === null ? (
    <Text size="sm">{email ?? '–'}</Text>
  ) : (
    <PageLink to={`/contacts/${id}`}>{email ?? 'The contact'}</PageLink>
  )
}
