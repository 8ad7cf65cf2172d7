import type { ConsentEvent } from '@lettergate/client/console'
import { Button, Group, Stack, Text, Timeline } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, PageLoading } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { inWords, sourceInWords } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { EvidenceFacts } from './evidence-facts.tsx'

const titles: Record<ConsentEvent['kind'], string> = {
  granted: 'Agreed',
  withdrawn: 'Withdrew',
  suppressed: 'Was suppressed',
  resolved: 'Suppression was resolved',
}
const colors: Record<ConsentEvent['kind'], string> = {
  granted: 'green',
  withdrawn: 'orange',
  suppressed: 'red',
  resolved: 'indigo',
}

const scopeOf = ({ scope, audience_name }: ConsentEvent) =>
  scope === 'audience' ? (audience_name ?? 'an audience that was deleted') : `the whole ${scope}`

/** Everything that the record of consent holds about a contact, newest first. */
export function ConsentTimeline({ contactId }: { contactId: string }) {
  const { name, console } = useWorkspace()
  const pages = usePages([name, 'consent-events', contactId], (page, options) =>
    console.listConsentEvents({ ...page, contact_id: contactId, limit: 50 }, options),
  )
  const events = pages.data?.pages.flatMap((page) => page.consent_events)
  return (
    <Section title="Consent" about="The record of consent. Entries are sealed and never change.">
      <FailedReads of={[pages]}>{events === undefined && <PageLoading />}</FailedReads>
      {events?.length === 0 && <Empty title="No consent was ever recorded">Subscribe the contact to record it.</Empty>}
      {events && events.length > 0 && (
        <Timeline active={events.length} bulletSize={14} lineWidth={2}>
          {events.map((event) => (
            <Timeline.Item key={event.id} color={colors[event.kind]} title={`${titles[event.kind]}: ${scopeOf(event)}`}>
              <Entry event={event} />
            </Timeline.Item>
          ))}
        </Timeline>
      )}
      {pages.isFetchNextPageError && <ErrorNotice error={pages.error} />}
      {pages.hasNextPage && (
        <Button variant="default" onClick={() => void pages.fetchNextPage()} loading={pages.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </Section>
  )
}

const Entry = ({ event }: { event: ConsentEvent }) => (
  <Stack gap={2}>
    <Text size="sm">
      <Moment at={event.occurred_at} />, by {event.actor} ({event.actor_kind}), from {sourceInWords(event.source)}
      {event.reason ? `, because: ${inWords(event.reason).toLowerCase()}` : ''}
    </Text>
    {event.wording_version && (
      <Text size="sm">
        Wording <code>{event.wording_version}</code>
        {event.form_identifier ? `, form ${event.form_identifier}` : ''}
      </Text>
    )}
    {event.evidence && <EvidenceFacts evidence={event.evidence} />}
    {event.evidence_sha256 && (
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          Evidence <code>{event.evidence_sha256.slice(0, 16)}…</code>
        </Text>
        <CopyButton value={event.evidence_sha256} of="the hash of the evidence" />
      </Group>
    )}
  </Stack>
)
