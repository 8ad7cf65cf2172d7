import { useLocation } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The domains that emails come from. */
export function Domains() {
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'domains'], (options) => console.listSendingDomains({}, options))
  return (
    <Section title="2. Sending domains" isPlain actions={<NewDomain />}>
      <DataTable
        label="Sending domains"
        rows={answer.data?.sending_domains}
        error={answer.error}
        onRetry={() => void answer.refetch()}
        keyOf={({ id }) => id}
        empty={<Empty title="There is no domain yet">Add one that the provider knows, then publish its records.</Empty>}
        columns={[
          { title: 'Domain', cell: (row) => <PageLink to={`/domains/${row.id}`}>{row.domain_name}</PageLink> },
          { title: 'State', cell: (row) => <StateBadge state={row.is_ready ? 'ready' : 'not ready'} /> },
          { title: 'Webhooks', cell: (row) => (row.webhooks_registered ? 'all registered' : 'missing') },
          {
            title: 'Last check',
            cell: (row) => (
              <>
                <Moment at={row.checked_at} none="never" />
                {row.checked_at && !row.check_is_current && ', not current'}
              </>
            ),
          },
          { title: 'Connection', cell: (row) => row.provider_connection_name ?? '–' },
          { title: 'Senders', isNumber: true, cell: (row) => row.sender_count },
        ]}
      />
    </Section>
  )
}

function NewDomain() {
  const { name, api, console, may } = useWorkspace()
  const [, go] = useLocation()
  const connections = useAnswer([name, 'connections'], (options) => console.listProviderConnections({}, options))
  if (!may('manage_senders')) return null
  return (
    <ActButton
      label="Add a domain"
      act="Add it"
      fields={{
        domain: { kind: 'text', label: 'Domain', placeholder: 'mail.example.org' },
        connection: {
          kind: 'choice',
          label: 'Connection',
          isRequired: false,
          choices: (connections.data?.provider_connections ?? []).map((one) => ({ value: one.id, label: one.name })),
        },
      }}
      run={({ domain, connection }) =>
        api.createSendingDomain({
          body: { domain_name: domain, ...(connection ? { provider_connection_id: connection } : {}) },
        })
      }
      onDone={({ sending_domain }) => go(`/domains/${sending_domain.id}`)}
    />
  )
}
