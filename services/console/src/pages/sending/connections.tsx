import type { ListedProviderConnection } from '@lettergate/client/console'
import { Group, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useConnections } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const keyAbout =
  'The name of a key in the environment of the service, such as MAILPROVIDER_API_KEY. Never the key itself.'
const regions = [
  { value: 'us', label: 'United States' },
  { value: 'eu', label: 'European Union' },
]

const fieldsOf = (connection?: ListedProviderConnection) =>
  ({
    name: { kind: 'text', label: 'Name', initial: connection?.name ?? '' },
    region: { kind: 'choice', label: 'Region', initial: connection?.region ?? 'us', choices: regions },
    credential_env_key: {
      kind: 'text',
      label: 'Key of the credential',
      about: keyAbout,
      initial: connection?.credential_env_key ?? 'MAILPROVIDER_API_KEY',
    },
    webhook_signing_env_key: {
      kind: 'text',
      label: 'Key of the webhook signature',
      about: keyAbout,
      initial: connection?.webhook_signing_env_key ?? (connection ? '' : 'MAILPROVIDER_WEBHOOK_SIGNING_KEY'),
      isRequired: false,
    },
  }) as const

/** The accounts at the mail provider. Their secrets are never here, only the names of their keys. */
export function Connections() {
  const { api, may } = useWorkspace()
  const answer = useConnections()
  const create = may('manage_senders') && (
    <ActButton
      label="Add a connection"
      act="Add it"
      fields={fieldsOf()}
      run={({ name: title, region, credential_env_key, webhook_signing_env_key: signing }) =>
        api.createProviderConnection({
          body: {
            name: title,
            region: region as 'us',
            credential_env_key,
            ...(signing ? { webhook_signing_env_key: signing } : {}),
          },
        })
      }
    />
  )
  return (
    <Section
      title="1. Provider connections"
      isPlain
      actions={answer.data && answer.data.provider_connections.length > 0 && create}
    >
      <AnswerTable
        label="Provider connections"
        answer={answer}
        rowsOf={(data) => data.provider_connections}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no connection yet" action={create}>
            A connection is your account at the mail provider that hands over your email.
          </Empty>
        }
        columns={[
          {
            title: 'Connection',
            cell: (row) => (
              <>
                <Text size="sm" fw={600}>
                  {row.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {row.region}, <code>{row.credential_env_key}</code>
                </Text>
              </>
            ),
          },
          {
            title: 'State',
            cell: (row) => (
              <Group gap={6}>
                <StateBadge state={row.connection_state} />
                {row.is_active && <StateBadge state="active" />}
              </Group>
            ),
          },
          {
            title: 'Last check',
            cell: (row) => (
              <Text size="sm">
                <Moment at={row.checked_at} none="never" />
                {row.check_detail && `: ${row.check_detail}`}
              </Text>
            ),
          },
          {
            title: 'Webhook',
            cell: (row) => <CopyButton value={row.webhook_url} of={`the webhook address of ${row.name}`} />,
          },
          { title: 'Change', cell: (row) => <Acts connection={row} /> },
        ]}
      />
    </Section>
  )
}

function Acts({ connection }: { connection: ListedProviderConnection }) {
  const { api, console, may } = useWorkspace()
  const { id } = connection
  if (!may('manage_senders')) return <>–</>
  return (
    <Group gap="xs" wrap="nowrap">
      <ActButton
        label="Check"
        title={`Check ${connection.name}?`}
        consequences={['The provider is asked whether the credential works. No email is sent.']}
        run={() => api.checkProviderConnection({ connection_id: id })}
      />
      {connection.connection_state === 'verified' && !connection.is_active && (
        <ActButton
          label="Activate"
          title={`Activate ${connection.name}?`}
          act="Activate the connection"
          consequences={['Domains of this connection can be made ready. Nothing is sent by this alone.']}
          phrase="ENABLE TEST CONNECTION"
          run={() =>
            api.activateProviderConnection({ connection_id: id, body: { confirmation: 'ENABLE TEST CONNECTION' } })
          }
        />
      )}
      <ActButton
        label="Edit"
        title={`Edit ${connection.name}`}
        act="Save"
        consequences={['With another region or credential it must be checked and activated again.']}
        fields={fieldsOf(connection)}
        run={(_values, _key, { region, webhook_signing_env_key: signing, ...changed }) =>
          console.updateProviderConnection({
            connection_id: id,
            body: {
              ...changed,
              ...(region === undefined ? {} : { region: region as 'us' }),
              ...(signing === undefined ? {} : { webhook_signing_env_key: signing || null }),
            },
          })
        }
      />
      <ActButton
        label="Delete"
        title={`Delete ${connection.name}?`}
        act="Delete the connection"
        isDangerous
        consequences={['It is refused while a domain or a run uses it.']}
        run={() => console.deleteProviderConnection({ connection_id: id })}
      />
    </Group>
  )
}
