import type { AudienceEligibility, ContactMembership, ContactProfile } from '@lettergate/client/console'
import { Badge, Group, List, Stack, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { explained } from '../../parts/explanations.ts'
import { Moment } from '../../parts/moment.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Empty } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const tooEarly = 'minimum_interval_not_elapsed'
const isTooEarly = ({ reasons }: AudienceEligibility) => reasons.includes(tooEarly)

/** For each audience whether the contact can be mailed, why not, and what would change it. */
export function Eligibility({ contact }: { contact: ContactProfile }) {
  return (
    <Section
      title="Can we mail this person?"
      about="Every reason is checked again for each email, at the moment when it is handed off."
    >
      {contact.eligibility.length === 0 && (
        <Empty title="There is no audience">
          <PageLink to="/audiences">Create an audience</PageLink>, then subscribe the contact with its consent.
        </Empty>
      )}
      {contact.eligibility.some(isTooEarly) && <NextEmailReads contactId={contact.id} />}
      {contact.eligibility.map((verdict) => (
        <Verdict
          key={verdict.audience_id}
          contact={contact}
          verdict={verdict}
          membership={contact.memberships.find(({ audience_id }) => audience_id === verdict.audience_id)}
        />
      ))}
    </Section>
  )
}

function Verdict({
  contact,
  verdict,
  membership,
}: {
  contact: ContactProfile
  verdict: AudienceEligibility
  membership: ContactMembership | undefined
}) {
  return (
    <Stack gap={6} component="article" aria-label={verdict.audience_name}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge
            variant="outline"
            tt="none"
            color={verdict.eligible ? 'green' : 'orange'}
            c="var(--mantine-color-text)"
            miw="max-content"
          >
            {verdict.eligible ? 'Yes' : 'No'}
          </Badge>
          <Text fw={600}>{verdict.audience_name}</Text>
          {membership?.consent_changed_at && (
            <Text size="sm" c="dimmed">
              consent {membership.consent} <Moment at={membership.consent_changed_at} />
            </Text>
          )}
        </Group>
        <Group gap="xs">
          <SubscribeButtons contact={contact} verdict={verdict} isMember={membership?.is_active ?? false} />
        </Group>
      </Group>
      {!verdict.eligible && (
        <List size="sm" spacing={2}>
          {verdict.reasons.map((reason) => (
            <List.Item key={reason}>
              {explained(reason).means}{' '}
              <Text span inherit c="dimmed">
                {explained(reason).remedy}{' '}
                {reason === tooEarly && <NextEmail contactId={contact.id} verdict={verdict} />}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}

function useLastMessages(contact_id: string) {
  const { name, console } = useWorkspace()
  return useAnswer([name, 'last-messages', contact_id], (options) => console.listLastMessages({ contact_id }, options))
}

/** Says if the times of the next emails could not be read. */
const NextEmailReads = ({ contactId }: { contactId: string }) => (
  <ReadNotices of={[useLastMessages(contactId), useAudiences()]} />
)

/** When the minimum interval of the audience has passed since the last email. */
function NextEmail({ contactId, verdict }: { contactId: string; verdict: AudienceEligibility }) {
  const last = useLastMessages(contactId).data?.last_messages.find(
    ({ audience_id }) => audience_id === verdict.audience_id,
  )
  const audience = useAudiences().data?.audiences.find(({ id }) => id === verdict.audience_id)
  if (!last || !audience) return null
  const at = new Date(Date.parse(last.handed_off_at) + audience.minimum_interval_seconds * 1_000)
  return (
    <span>
      The next email is possible from <Moment at={at.toISOString()} />.
    </span>
  )
}

/** Subscribes or unsubscribes. A consent under review can be recorded or withdrawn. */
function SubscribeButtons({
  contact,
  verdict,
  isMember,
}: {
  contact: ContactProfile
  verdict: AudienceEligibility
  isMember: boolean
}) {
  const { api, may } = useWorkspace()
  if (!may('upsert_contacts')) return null
  const audience_id = verdict.audience_id
  const isUnderReview = verdict.reasons.includes('consent_under_review')
  return (
    <>
      {(!isMember || isUnderReview) && (
        <ActButton
          label="Subscribe"
          title={`Subscribe to ${verdict.audience_name}`}
          act="Record the consent"
          consequences={[
            'This records that the contact agreed. The record cannot be changed or removed later.',
            'Automations with this audience as their trigger enroll the contact.',
          ]}
          fields={{
            wording_version: {
              kind: 'text',
              label: 'Wording of the consent',
              about: 'Its version, such as newsletter-2026-05.',
            },
            how: { kind: 'long', label: 'How the contact agreed', about: 'For example: by phone on 3 May, to Ada.' },
          }}
          run={({ wording_version, how }) =>
            api.subscribeContact({
              audience_id,
              body: { contact_id: contact.id, source: 'console', wording_version, evidence: { note: how } },
            })
          }
        />
      )}
      {isMember && (
        <ActButton
          label="Unsubscribe"
          title={`Unsubscribe from ${verdict.audience_name}?`}
          isDangerous
          consequences={[
            'The contact gets no further email of this audience, also not what is scheduled.',
            'The record of consent keeps the withdrawal. Only a later consent reverses it.',
          ]}
          run={() => api.unsubscribeContact({ audience_id, body: { contact_id: contact.id, source: 'console' } })}
        />
      )}
    </>
  )
}
