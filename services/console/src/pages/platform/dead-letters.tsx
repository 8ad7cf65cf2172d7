import type { Result } from '@lettergate/client'
import type { DeadLetter } from '@lettergate/client/console'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied, CopyButton } from '../../parts/copy-button.tsx'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { counted, inWords } from '../../parts/words.ts'
import { consoleApi } from '../../session/clients.ts'
import { usePages } from '../../session/use-answer.ts'

/** Events that a service could not process. */
export default function DeadLettersPage() {
  const filters = useFilters('service', 'state')
  const [open, setOpen] = useState<DeadLetter | null>(null)
  const pages = usePages(
    ['dead-letters', filters],
    (page, options) => consoleApi.listDeadLetters({ ...page, ...(filters as object), limit: 50 }, options),
    {
      everyMs: (read) =>
        read.some((page) => page.dead_letters.some(({ state }) => state === 'replaying')) ? 2_000 : 15_000,
    },
  )
  return (
    <Page
      title="Dead letters"
      about="An event that a service refused, or that failed each time. Nothing is lost: fix the cause, then replay it."
    >
      <Filters>
        <ChoiceFilter
          name="service"
          label="Service"
          choices={[
            'gateway',
            'contacts-consent',
            'sending-infra',
            'campaigns-delivery',
            'imports',
            'automations',
            'webhook-intake',
          ]}
        />
        <ChoiceFilter name="state" label="State" choices={['dead', 'replaying', 'replayed', 'discarded']} />
      </Filters>
      <PagedTable
        label="Dead letters"
        pages={pages}
        rowsOf={(page) => page.dead_letters}
        keyOf={({ id }) => id}
        empty={<Empty title="There is none">Every event was processed.</Empty>}
        columns={[
          {
            title: 'Event',
            cell: (row) => (
              <>
                <Text size="sm" fw={600}>
                  {inWords(row.event)}
                </Text>
                <Text size="xs" c="dimmed">
                  to {row.service}, {row.consumer}
                </Text>
              </>
            ),
          },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          {
            title: 'Why it failed',
            cell: (row) => (
              <>
                <Text size="sm">{row.error_message}</Text>
                <Text size="xs" c="dimmed">
                  {row.error_class}, after {counted(row.attempts, 'attempt')}
                </Text>
              </>
            ),
          },
          { title: 'Failed', cell: (row) => <Moment at={row.failed_at} /> },
          {
            title: 'Details',
            cell: (row) => (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => setOpen(row)}
                aria-label={`See ${inWords(row.event)}`}
              >
                See
              </Button>
            ),
          },
          { title: 'Change', cell: (row) => <Acts dead={row} /> },
        ]}
      />
      {open && <Details dead={open} onClose={() => setOpen(null)} />}
    </Page>
  )
}

const audited = (filter: string, value: string) => `/platform/audit-log?${new URLSearchParams({ [filter]: value })}`

/** One dead letter with the ids in its event, each with a link to its entries of the audit log. */
function Details({ dead, onClose }: { dead: DeadLetter; onClose: () => void }) {
  const ids = Object.entries(dead.payload_ids).flatMap(([name, value]) =>
    [value].flat().map((id) => [inWords(name.replace(/_ids?$/, '')), String(id)] as const),
  )
  return (
    <Modal opened onClose={onClose} title={inWords(dead.event)} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Facts
          of={[
            ['Announced by', dead.announced_by],
            ['Announced', <Moment key="at" at={dead.announced_at} />],
            ['Failed in', `${dead.service}, ${dead.consumer}`],
            ['Id of the event', <Copied key="event" value={dead.event_id} of="the id of the event" />],
            ['Reference', <Copied key="reference" value={dead.correlation_id} of="the reference" />],
            [
              'Workspace',
              dead.workspace_id && <Copied key="workspace" value={dead.workspace_id} of="the id of the workspace" />,
            ],
          ]}
        />
        <Text size="sm">
          The audit log shows{' '}
          <PageLink to={audited('correlation_id', dead.correlation_id)}>what the same request did</PageLink>
          {ids.length > 0 && ', and what was done to each of these'}.
        </Text>
        {ids.length > 0 && (
          <List size="sm" aria-label="What the event is about">
            {ids.map(([name, id]) => (
              <List.Item key={`${name} ${id}`}>
                {name}: <PageLink to={audited('subject_id', id)}>{id}</PageLink>{' '}
                <CopyButton value={id} of={`the id: ${name}`} />
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Modal>
  )
}

type ServiceName = Parameters<typeof consoleApi.replayDeadLetter>[0]['service']

function Acts({ dead }: { dead: DeadLetter }) {
  const input = { service: dead.service as ServiceName, dead_letter_id: dead.id }
  /** Answers what to say if a colleague discarded it before: the service answers the same, and keeps the first reason. */
  const discard = async (reason: string): Promise<Result<string | undefined>> => {
    const result = await consoleApi.discardDeadLetter({ ...input, body: { reason } })
    if (!result.ok) return result
    const stored = result.data.dead_letter.discard_reason
    const words = `Somebody discarded it before, with another reason: ${stored}`
    return { ...result, data: stored === reason.trim() ? undefined : words }
  }
  if (dead.state !== 'dead') return <>{dead.discard_reason ?? '–'}</>
  return (
    <Group gap="xs" wrap="nowrap">
      <ActButton
        label="Replay"
        title={`Replay ${inWords(dead.event)}?`}
        act="Replay it"
        consequences={[
          'The service processes it as if it arrived now. A second processing of the same event has no effect.',
        ]}
        run={() => consoleApi.replayDeadLetter(input)}
      />
      <ActButton
        label="Discard"
        title={`Discard ${inWords(dead.event)}?`}
        act="Discard it"
        isDangerous
        consequences={['It is never processed. The data that it carries may stay incomplete.']}
        fields={{ reason: { kind: 'long', label: 'Why is this right?' } }}
        run={({ reason }) => discard(reason)}
        done={(words) => words}
      />
    </Group>
  )
}
