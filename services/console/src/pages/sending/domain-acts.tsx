import type { SendingDomainDetailsResponse } from '@lettergate/client/console'
import { ActButton } from '../../dialogs/act-button.tsx'
import { orNull } from '../../dialogs/fields.ts'
import { useConnections } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** What can be done to a domain. */
export function DomainActs({
  details,
  onRefused,
}: {
  details: SendingDomainDetailsResponse
  /** hears which events the provider has no room for */
  onRefused: (events: readonly string[]) => void
}) {
  const { api, console, may } = useWorkspace()
  const { id, domain_name } = details.sending_domain
  const connections = useConnections()
  if (!may('manage_senders')) return null
  return (
    <>
      <ActButton
        label="Check again"
        title={`Check ${domain_name}?`}
        act="Check now"
        consequences={[
          'The DNS and the provider are asked. No email is sent.',
          'A domain that fails is not ready any more.',
        ]}
        run={() => api.verifySendingDomain({ domain_id: id }, { timeoutMs: 60_000 })}
        button={{ variant: 'filled' }}
      />
      <ActButton
        label="Register webhooks"
        title="Register the webhooks at the provider?"
        act="Register them"
        consequences={[
          'The provider reports what becomes of each email: delivered, bounced, complained and five more.',
          'An event that has three addresses already is refused; remove one at the provider first.',
        ]}
        run={() => api.registerSendingDomainWebhooks({ domain_id: id }, { timeoutMs: 60_000 })}
        onDone={({ refused }) => onRefused(refused)}
      />
      <ActButton
        label="Quota"
        title="Record the review of the quota"
        act="Record it"
        consequences={['A person compares the quota at the provider with what you plan to send.']}
        fields={{
          quota_state: {
            kind: 'choice',
            label: 'Quota',
            choices: [
              { value: 'approved', label: 'Enough' },
              { value: 'insufficient', label: 'Not enough' },
            ],
          },
        }}
        run={({ quota_state: quota }) =>
          api.setSendingDomainReadiness({ domain_id: id, body: { quota_state: quota as 'approved' } })
        }
      />
      <ActButton
        label="Connection"
        title="Connect the domain"
        act="Connect it"
        consequences={['The domain must be checked again afterwards.']}
        fields={{
          provider_connection_id: {
            kind: 'choice',
            label: 'Connection',
            read: connections,
            initial: details.sending_domain.provider_connection_id ?? '',
            choices: (connections.data?.provider_connections ?? []).map((one) => ({ value: one.id, label: one.name })),
          },
          dkim_selector: { kind: 'text', label: 'DKIM selector', initial: details.dkim_selector ?? '' },
        }}
        run={(body) => api.setSendingDomainProvider({ domain_id: id, body })}
      />
      <ActButton
        label="Edit"
        title={`Edit ${domain_name}`}
        act="Save"
        fields={{
          tracking_domain: {
            kind: 'text',
            label: 'Tracking domain',
            initial: details.tracking_domain ?? '',
            isRequired: false,
          },
          notes: { kind: 'long', label: 'Notes', initial: details.notes ?? '', isRequired: false },
        }}
        run={(_values, _key, changed) => console.updateSendingDomain({ domain_id: id, body: orNull(changed) })}
      />
      <ActButton
        label="Delete"
        title={`Delete ${domain_name}?`}
        act="Delete the domain"
        isDangerous
        consequences={['The domain is removed here, not at the provider. It is refused while it has senders.']}
        run={() => console.deleteSendingDomain({ domain_id: id })}
        goesTo={() => '/sending'}
        removes={id}
      />
    </>
  )
}
