import type { ListedPreflight } from '@lettergate/client/console'
import { Button, Group, List, Modal, Stack, Text } from '@mantine/core'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useFilter } from '../../parts/use-filter.ts'
import { counted } from '../../parts/words.ts'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { checkWords, PreflightChecks } from './preflight-checks.tsx'

/** Every report that was kept, and what each changed. */
export function PreflightHistory() {
  const { name, console } = useWorkspace()
  const [openId, open] = useFilter('preflight')
  const pages = usePages([name, 'preflights'], (page, options) =>
    console.listPreflights({ ...page, limit: 10 }, options),
  )
  const report = pages.data?.pages.flatMap((page) => page.preflights).find(({ id }) => id === openId)
  return (
    <Section title="History of preflights" about="Every report is kept as it was, with its checksum." isPlain>
      <PagedTable
        label="History of preflights"
        pages={pages}
        rowsOf={(page) => page.preflights}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No report yet">
            Each run of the checks adds one here. Then you see what changed between two of them.
          </Empty>
        }
        columns={[
          { title: 'When', cell: (row) => <Moment at={row.completed_at} /> },
          { title: 'Who', cell: (row) => row.requested_by },
          { title: 'Launch', cell: (row) => <StateBadge state={readiness(row)} /> },
          { title: 'Failed checks', cell: failedInWords },
          { title: 'Changed since the one before', cell: changedInWords },
          { title: 'Checksum', cell: (row) => <Checksum of={row} /> },
          {
            title: 'Details',
            cell: (row) => (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => open(row.id)}
                aria-label={`See the preflight of ${row.completed_at}`}
              >
                See
              </Button>
            ),
          },
        ]}
      />
      {report && <Report report={report} onClose={() => open(null)} />}
    </Section>
  )
}

const readiness = ({ status }: ListedPreflight) => (status === 'passed' ? 'ready' : 'not ready')

const failedInWords = ({ summary: { blocked, warnings } }: ListedPreflight) =>
  [blocked > 0 && `${blocked} blocked`, warnings > 0 && counted(warnings, 'warning')].filter(Boolean).join(', ') ||
  'none'

const changedInWords = ({ previous_id, changes }: ListedPreflight) =>
  previous_id === null ? 'the first report' : changes.length === 0 ? 'nothing' : counted(changes.length, 'check')

const Checksum = ({ of }: { of: ListedPreflight }) => (
  <Group gap={4} wrap="nowrap">
    <code>{of.report_checksum.slice(0, 8)}…</code>
    <CopyButton value={of.report_checksum} of="the checksum of the report" />
  </Group>
)

const Report = ({ report, onClose }: { report: ListedPreflight; onClose: () => void }) => (
  <Modal opened onClose={onClose} title="Preflight" size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
    <Stack>
      <Facts
        of={[
          ['When', <Moment key="at" at={report.completed_at} />],
          ['Who', report.requested_by],
          ['Launch', <StateBadge key="launch" state={readiness(report)} />],
          ['Failed checks', failedInWords(report)],
          ['Checksum', <Checksum key="checksum" of={report} />],
        ]}
      />
      <Changes of={report} />
      <PreflightChecks label="Checks of this preflight" checks={report.checks} />
    </Stack>
  </Modal>
)

const resultInWords = (status: 'pass' | 'warn' | 'block' | null) =>
  status === null ? 'not checked' : checkWords[status]

function Changes({ of: { previous_id, changes } }: { of: ListedPreflight }) {
  if (previous_id === null) return <Text size="sm">This is the first report, so nothing can have changed.</Text>
  if (changes.length === 0) return <Text size="sm">Every check has the result of the report before.</Text>
  return (
    <div>
      <Text size="sm" fw={600}>
        Changed since the report before
      </Text>
      <List size="sm" aria-label="Changed checks">
        {changes.map(({ code, label, before, after }) => (
          <List.Item key={code}>
            {label}: {resultInWords(before)} → {resultInWords(after)}
          </List.Item>
        ))}
      </List>
    </div>
  )
}
