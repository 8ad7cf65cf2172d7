import { LettergateError } from '@lettergate/client'
import type { DescribedMessage, ListedProviderEvent } from '@lettergate/client/console'
import { Button, Group, Modal, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable, type Pages } from '../../parts/paged-table.tsx'
import { Facts } from '../../parts/section.tsx'
import { useFilter, useFilters } from '../../parts/use-filter.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { SentBy, SentTo } from './event-message.tsx'
import { eventInWords } from './event-words.ts'

type Event = ListedProviderEvent & { message: DescribedMessage | undefined }

/** What the provider reported about each email, with its run or automation and its recipient. */
export default function ProviderEventsPage() {
  const { name, console, may } = useWorkspace()
  const filters = useFilters('event')
  const [openId, open] = useFilter('id')
  const pages = usePages(
    [name, 'provider-events', filters],
    async (page, options) => {
      const events = await console.listProviderEvents({ ...page, ...(filters as object), limit: 100 }, options)
      if (!events.ok) return events
      const ids = events.data.provider_events.flatMap(({ message_id: id }) => id ?? [])
      const described =
        ids.length > 0 ? await console.describeMessages({ message_id: [...new Set(ids)] }, options) : null
      const messages = new Map(described?.ok ? described.data.messages.map((one) => [one.message_id, one]) : [])
      const rows = events.data.provider_events.map((event) => ({
        ...event,
        message: messages.get(event.message_id ?? ''),
      }))
      const failure = described?.ok === false ? described : null
      return { ...events, data: { ...events.data, provider_events: rows, failure } }
    },
    { everyMs: () => 15_000 },
  )
  const failure = pages.data?.pages.find((page) => page.failure)?.failure
  const event = pages.data?.pages.flatMap((page) => page.provider_events).find(({ id }) => id === openId)
  return (
    <Page
      title="Provider events"
      about="What the provider reports about each email, newest first. Every signature was checked. The body is not kept, because it is about a person; its size and checksum are."
    >
      <RoleNote needs="pause_delivery" />
      <Filters>
        <ChoiceFilter
          name="event"
          label="Kind"
          choices={(
            ['accepted', 'delivered', 'failed', 'opened', 'clicked', 'unsubscribed', 'complained'] as const
          ).map((value) => ({
            value,
            label: value === 'failed' ? 'Not delivered' : eventInWords({ event: value, severity: null }),
          }))}
        />
      </Filters>
      {failure && (
        <>
          <Text size="sm">The runs and recipients of these events could not be read.</Text>
          <ErrorNotice error={new LettergateError(failure)} onRetry={() => void pages.refetch()} />
        </>
      )}
      <PagedTable
        label="Provider events"
        pages={pages}
        rowsOf={(page) => page.provider_events}
        keyOf={({ id }) => id}
        isEndless
        empty={
          <Empty title={filters.event ? 'No event of this kind' : 'The provider has reported nothing yet'}>
            Events arrive after emails are sent, when the webhooks of the domain are registered. Look at the domain
            under Sending if they do not arrive.
          </Empty>
        }
        columns={[
          { title: 'What', cell: eventInWords },
          { title: 'Sent by', cell: (row) => <SentBy message={row.message} /> },
          { title: 'To', cell: (row) => <SentTo message={row.message} /> },
          { title: 'Happened', cell: (row) => <Moment at={row.occurred_at} /> },
          { title: 'Reason of the provider', cell: ({ reason }) => reason ?? '–' },
          {
            title: 'Details',
            cell: (row) => (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => open(row.id)}
                aria-label={`See ${eventInWords(row)}`}
              >
                See
              </Button>
            ),
          },
          ...(may('pause_delivery')
            ? [{ title: 'Change', cell: (row: ListedProviderEvent) => <Replay event={row} /> }]
            : []),
        ]}
      />
      {event && <Details event={event} onClose={() => open(null)} />}
      {!event && openId && pages.data && <NotLoaded pages={pages} kind={filters.event} onClose={() => open(null)} />}
    </Page>
  )
}

function Replay({ event }: { event: ListedProviderEvent }) {
  const { api } = useWorkspace()
  return (
    <ActButton
      label="Replay"
      title={`Replay “${eventInWords(event)}”?`}
      act="Replay it"
      consequences={[
        'Every part of the service gets the stored event again. A part that has processed it counts nothing twice.',
        'No email is sent.',
      ]}
      run={() => api.replayProviderEvent({ event_id: event.id })}
    />
  )
}

interface NotLoadedProps {
  pages: Pages<unknown>
  /** that the list is filtered by */
  kind: string | undefined
  onClose: () => void
}

/** For a link to an event that is not among the newest: no operation reads one event. */
function NotLoaded({ pages, kind, onClose }: NotLoadedProps) {
  const [, setKind] = useFilter('event')
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages
  return (
    <Modal opened onClose={onClose} title="Provider event" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm" mb="sm">
        {hasNextPage
          ? `The event of this link is not among those that are loaded. It may be older${kind ? ', or of another kind' : ''}.`
          : `None of these events is the one of this link. It is of another ${kind ? 'kind or workspace' : 'workspace'}, or it is not kept any more.`}
      </Text>
      {isFetchNextPageError && <ErrorNotice error={pages.error} />}
      <Group gap="sm">
        {hasNextPage && (
          <Button size="compact-sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Load older events
          </Button>
        )}
        {kind && (
          <Button size="compact-sm" variant="default" onClick={() => setKind(null)}>
            Show every kind
          </Button>
        )}
      </Group>
    </Modal>
  )
}

const copied = (value: string | null, of: string) => value && <Copied value={value} of={of} />

const Details = ({ event, onClose }: { event: Event; onClose: () => void }) => (
  <Modal opened onClose={onClose} title={eventInWords(event)} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Facts
      of={[
        ['Sent by', <SentBy key="by" message={event.message} />],
        ['To', <SentTo key="to" message={event.message} />],
        ['Happened', <Moment key="at" at={event.occurred_at} />],
        ['Received', <Moment key="at" at={event.received_at} />],
        ['Reason of the provider', event.reason],
        ['Replayed', event.replayed_at && <Moment key="at" at={event.replayed_at} />],
        ['Came again with other content', event.contradicted_at && <Moment key="at" at={event.contradicted_at} />],
        ['Message', copied(event.message_id, 'the id of the message')],
        ['Message at the provider', copied(event.provider_message_id, 'the id at the provider')],
        ['Event at the provider', copied(event.provider_event_id, 'the id of the event')],
        ['Body', `${event.body_bytes.toLocaleString('en')} bytes`],
        ['SHA-256 of the body', copied(event.body_sha256, 'the checksum')],
      ]}
    />
  </Modal>
)
