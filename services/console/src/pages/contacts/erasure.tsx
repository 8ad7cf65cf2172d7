import { List, Text } from '@mantine/core'
import { useParams } from 'wouter'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { inWords } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** What a service keeps of people. */
const services: Record<string, string> = {
  'contacts-consent': 'Contacts and consent',
  'campaigns-delivery': 'Campaigns and test sends',
  'webhook-intake': 'Events of the provider',
  automations: 'Automations',
}

/** Kinds of data whose names in the API say too little. */
const kinds: Record<string, string> = {
  contacts: 'Profiles, deleted',
  memberships: 'Memberships of audiences, deleted',
  consent_evidence: 'Evidence of consents, deleted; the record of consent stays',
  suppressions: 'Evidence and reasons of suppressions, deleted; the suppressions stay',
  source_receipts: 'Receipts of sign-up forms that stay, without personal data',
  contact_sources: 'Sources of the contact, deleted',
  contact_provenance: 'Origins of the fields of the profile, deleted',
  automation_step_receipts: 'Steps of automations that changed the contact, deleted',
  signup_confirmations: 'Sign-ups that wait for a confirmation, deleted',
  run_recipients: 'Recipients of campaigns that stay in the counts, without personal data',
  test_sends: 'Test sends that stay, without personal data',
  provider_events: 'Events that stay, without personal data',
  enrollment_reasons: 'Reasons that users wrote for an enrollment, deleted',
  compared_values: 'Values that decisions compared, deleted',
}

/** How far the erasure of a person is, in each service. */
export default function ErasurePage() {
  const { id } = useParams<{ id: string }>()
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'erasure', id], (options) => console.getErasure({ erasure_id: id }, options), {
    everyMs: 2_000,
  })
  return (
    <Page title="Erasure of a person" about="Keep this address: it is the evidence that the data was removed.">
      <Loaded answer={answer}>
        {({ erasure }) => (
          <>
            <Text>
              <StateBadge state={erasure.state} /> requested by {erasure.requested_by},{' '}
              <Moment at={erasure.requested_at} />
              {erasure.completed_at && (
                <>
                  , completed <Moment at={erasure.completed_at} />
                </>
              )}
            </Text>
            <Text maw="46rem">
              The erasure suppressed the address in this workspace with the reason “legal”. Earlier suppressions that
              nobody resolved stay too, also those for every organization. All of them apply again if somebody adds the
              address: a keyed hash finds them, and the list of suppressions shows them from then on.
            </Text>
            {erasure.services.map((service) => (
              <Section
                key={service.service}
                title={services[service.service] ?? inWords(service.service)}
                actions={<StateBadge state={service.state} />}
              >
                <List size="sm">
                  {Object.entries(service.removed).map(([kind, count]) => (
                    <List.Item key={kind}>
                      {kinds[kind] ?? inWords(kind)}: {count.toLocaleString('en')}
                    </List.Item>
                  ))}
                </List>
              </Section>
            ))}
          </>
        )}
      </Loaded>
    </Page>
  )
}
