import { ActButton } from '../../dialogs/act-button.tsx'
import { AnswerTable } from '../../parts/answer-table.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useConnections, useDomains } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** The domains that emails come from. */
export function Domains() {
  const answer = useDomains()
  return (
    <Section
      title="2. Sending domains"
      isPlain
      actions={answer.data && answer.data.sending_domains.length > 0 && <NewDomain />}
    >
      <AnswerTable
        label="Sending domains"
        answer={answer}
        rowsOf={(data) => data.sending_domains}
        keyOf={({ id }) => id}
        empty={
          <Empty title="There is no domain yet" action={<NewDomain />}>
            The domain of the address that emails come from. Add one that the provider knows, then publish its records.
          </Empty>
        }
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
  const { api, may } = useWorkspace()
  const connections = useConnections()
  if (!may('manage_senders')) return null
  return (
    <ActButton
      label="Add a domain"
      act="Add it"
      fields={{
        domain_name: { kind: 'text', label: 'Domain', placeholder: 'mail.example.org' },
        provider_connection_id: {
          kind: 'choice',
          label: 'Connection',
          read: connections,
          isRequired: false,
          choices: (connections.data?.provider_connections ?? []).map((one) => ({ value: one.id, label: one.name })),
        },
      }}
      run={({ domain_name, provider_connection_id: connection }) =>
        api.createSendingDomain({
          body: { domain_name, ...(connection ? { provider_connection_id: connection } : {}) },
        })
      }
      goesTo={({ sending_domain }) => `/domains/${sending_domain.id}`}
    />
  )
}
