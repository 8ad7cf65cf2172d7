import type { ListedSenderIdentity } from '@lettergate/client/console'
import { Group, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useDomains, useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { activationPhrase } from './activation-phrase.ts'

/** The names and addresses that emails come from. */
export function Senders() {
  const { api, may } = useWorkspace()
  const answer = useSenders()
  const domains = useDomains()
  const create = may('manage_senders') && (
    <ActButton
      label="Add a sender"
      act="Add it"
      fields={{
        sending_domain_id: {
          kind: 'choice',
          label: 'Domain',
          read: domains,
          choices: (domains.data?.sending_domains ?? []).map(({ id, domain_name }) => ({
            value: id,
            label: domain_name,
          })),
        },
        display_name: { kind: 'text', label: 'Name that recipients see' },
        from_address: { kind: 'text', label: 'From address', about: 'Of that domain.' },
        reply_to: { kind: 'text', label: 'Address for replies' },
      }}
      run={(body) => api.createSenderIdentity({ body })}
    />
  )
  return (
    <Section title="3. Senders" isPlain actions={answer.data && answer.data.sender_identities.length > 0 && create}>
      <AnswerTable
        label="Senders"
        answer={answer}
        rowsOf={(data) => data.sender_identities}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no sender yet" action={create}>
            A sender is the name and the address that readers see. Add one on a domain; it is enabled separately.
          </Empty>
        }
        columns={[
          {
            title: 'Sender',
            cell: (row) => (
              <>
                <Text size="sm" fw={600}>
                  {row.display_name}
                </Text>
                <Text size="xs" c="dimmed">
                  {row.from_address}
                </Text>
              </>
            ),
          },
          { title: 'Replies to', cell: (row) => row.reply_to },
          {
            title: 'Domain',
            cell: (row) => (
              <>
                <PageLink to={`/domains/${row.sending_domain_id}`}>{row.domain_name}</PageLink>
                {row.domain_is_ready ? '' : ', not ready'}
              </>
            ),
          },
          { title: 'State', cell: (row) => <StateBadge state={row.is_enabled ? 'enabled' : 'not enabled'} /> },
          { title: 'Change', cell: (row) => <Acts sender={row} /> },
        ]}
      />
    </Section>
  )
}

function Acts({ sender }: { sender: ListedSenderIdentity }) {
  const { api, console, me, workspace, may } = useWorkspace()
  if (!may('manage_senders')) return <>–</>
  const isOwner = workspace.role === 'owner' || me.user.platform_role === 'owner'
  return (
    <Group gap="xs" wrap="nowrap">
      {!sender.is_enabled && isOwner && (
        <ActButton
          label="Enable"
          title={`Enable ${sender.display_name}?`}
          act="Enable the sender"
          consequences={[
            'Campaigns and automations can send from this address. Nothing is sent by this alone.',
            'Its domain must be ready, and every gate of the platform open.',
          ]}
          phrase={activationPhrase}
          run={() => api.activateSenderIdentity({ sender_id: sender.id, body: { confirmation: activationPhrase } })}
        />
      )}
      <ActButton
        label="Edit"
        title={`Edit ${sender.display_name}`}
        act="Save"
        consequences={['With another from address the sender must be enabled again.']}
        fields={{
          display_name: { kind: 'text', label: 'Name that recipients see', initial: sender.display_name },
          from_address: { kind: 'text', label: 'From address', initial: sender.from_address },
          reply_to: { kind: 'text', label: 'Address for replies', initial: sender.reply_to },
        }}
        run={(_values, _key, body) => console.updateSenderIdentity({ sender_id: sender.id, body })}
      />
      <ActButton
        label="Delete"
        title={`Delete ${sender.display_name}?`}
        act="Delete the sender"
        isDangerous
        consequences={['It is refused while a campaign or an automation uses it.']}
        run={() => console.deleteSenderIdentity({ sender_id: sender.id })}
      />
    </Group>
  )
}
