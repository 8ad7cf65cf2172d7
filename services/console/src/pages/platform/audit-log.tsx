import type { AuditEntry } from '@lettergate/client/console'
import { Button, Code, Modal, Stack, Text } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { Copied } from '../../parts/copy-button.tsx'
import { Filters, MomentFilter, TextFilter } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts } from '../../parts/section.tsx'
import { useFilters } from '../../parts/use-filter.ts'
import { consoleApi } from '../../session/clients.ts'
import { DownloadButton } from '../../session/download-button.tsx'
import { useAnswer, usePages } from '../../session/use-answer.ts'
import { ActionFilter } from './action-filter.tsx'
import { actionInWords } from './audit-actions.ts'
import { subjectOf } from './audit-subject.ts'

const millisecondAfter = (at: string): string => new Date((Date.parse(at) || 0) + 1).toISOString()

/** The entry that is open, in the address of the page with its time, so that it can be found. */
function useOpenEntry() {
  const [search, setSearch] = useSearchParams()
  const open = (entry: AuditEntry | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        for (const name of ['entry', 'at']) after.delete(name)
        if (entry) {
          after.set('entry', entry.id)
          after.set('at', entry.occurred_at)
        }
        return after
      },
      { replace: true },
    )
  return { openId: search.get('entry') ?? '', entryAt: search.get('at') ?? '', open }
}

const labels = {
  actor: 'Actor',
  workspace: 'Workspace',
  organization: 'The organization before the “/”',
  subject_id: 'Object id',
  correlation_id: 'Reference',
  since: 'From',
  until: 'Before',
}

/** Who did what and when, in the whole platform. */
export default function AuditLogPage() {
  const { workspace, ...others } = useFilters(
    'action',
    'actor',
    'workspace',
    'subject_id',
    'correlation_id',
    'since',
    'until',
  )
  const [organization, ...rest] = (workspace ?? '').split('/')
  const slug = rest.join('/')
  const filters = {
    ...others,
    ...(organization && { organization }),
    ...(slug && { workspace: slug }),
  }
  const { openId, entryAt, open } = useOpenEntry()
  const pages = usePages(['audit-log', filters], (page, options) =>
    consoleApi.listAuditEntries({ ...page, ...filters, limit: 100 }, options),
  )
  const head = useAnswer(['audit-log-head'], (options) => consoleApi.getAuditLogHead({}, options))
  const hasTime = !Number.isNaN(Date.parse(entryAt))
  // A link to an entry works however old it is.
  const linked = useAnswer(
    ['audit-log', openId, entryAt],
    (options) => consoleApi.listAuditEntries({ since: entryAt, until: millisecondAfter(entryAt), limit: 100 }, options),
    { enabled: openId !== '' && hasTime },
  )
  const entry = [...(linked.data?.entries ?? []), ...(pages.data?.pages.flatMap((page) => page.entries) ?? [])].find(
    ({ id }) => id === openId,
  )
  const isLost = openId !== '' && !entry && (linked.isSuccess || !hasTime) && pages.data !== undefined
  return (
    <Page
      title="Audit log"
      about={
        <>
          Entries never change. Each is sealed in one hash chain
          {head.data && (
            <>
              , {head.data.position.toLocaleString('en')} so far, the last{' '}
              <Moment at={head.data.sealed_at} none="never" />
            </>
          )}
          .
        </>
      }
      actions={
        <DownloadButton
          href={`/console/api/platform/audit-log/export?${new URLSearchParams(filters)}`}
          read={() => consoleApi.exportAuditLog(filters)}
          labels={labels}
        >
          Export as JSON Lines
        </DownloadButton>
      }
    >
      <Filters>
        <ActionFilter />
        <TextFilter name="actor" label={labels.actor} />
        <TextFilter name="workspace" label={labels.workspace} placeholder="acme/newsletter" />
        <TextFilter name="subject_id" label={labels.subject_id} />
        <TextFilter name="correlation_id" label={labels.correlation_id} />
        <MomentFilter name="since" label={labels.since} />
        <MomentFilter name="until" label={labels.until} />
      </Filters>
      <PagedTable
        label="Audit log"
        labels={labels}
        roomOf={4}
        pages={pages}
        rowsOf={(page) => page.entries}
        keyOf={({ id }) => id}
        isEndless
        empty={<Empty title="No entry matches">Actors, ids and workspaces must be written exactly.</Empty>}
        columns={[
          { title: 'When', cell: (row) => <Moment at={row.occurred_at} /> },
          { title: 'Who', cell: (row) => row.actor },
          { title: 'Did what', cell: (row) => actionInWords(row.action) },
          { title: 'To', cell: (row) => <SubjectOf entry={row} /> },
          {
            title: 'Details',
            cell: (row) => (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => open(row)}
                aria-label={`See ${actionInWords(row.action)}`}
              >
                See
              </Button>
            ),
          },
        ]}
      />
      {entry && <Entry entry={entry} onClose={() => open(null)} />}
      {isLost && <LostEntry onClose={() => open(null)} />}
    </Page>
  )
}

function LostEntry({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="There is no such entry" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm">Entries are never removed. Check the whole address, with its time.</Text>
    </Modal>
  )
}

function SubjectOf({ entry }: { entry: AuditEntry }) {
  const { kind, name, to } = subjectOf(entry)
  const where = entry.workspace && ` in ${entry.organization}/${entry.workspace}`
  return (
    <>
      {to === undefined ? name : <PageLink to={to}>{name}</PageLink>}
      <Text size="xs" c="dimmed">
        {kind}
        {where}
      </Text>
    </>
  )
}

const Entry = ({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) => (
  <Modal
    opened
    onClose={onClose}
    title={actionInWords(entry.action)}
    size="lg"
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    <Stack>
      <Facts
        of={[
          ['Action', <code key="action">{entry.action}</code>],
          ['Who', `${entry.actor} (${entry.actor_kind ?? 'unknown kind'})`],
          ['Signed in by', entry.auth_method],
          ['When', <Moment key="at" at={entry.occurred_at} />],
          ['Object', <SubjectOf key="object" entry={entry} />],
          ['Its id', <Copied key="id" value={entry.subject_id} of="the id of the object" />],
          ['Id of the entry', <Copied key="entry" value={entry.id} of="the id of the entry" />],
          [
            'Reference',
            entry.correlation_id && <Copied key="reference" value={entry.correlation_id} of="the reference" />,
          ],
        ]}
      />
      <Text size="sm" fw={600}>
        Details
      </Text>
      <Code block fz="xs" tabIndex={0} aria-label="Details">
        {JSON.stringify(entry.detail, null, 2)}
      </Code>
    </Stack>
  </Modal>
)
