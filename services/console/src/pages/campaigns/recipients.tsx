import type { CampaignReportResponse } from '@lettergate/client'
import { Text } from '@mantine/core'
import { explained } from '../../parts/explanations.ts'
import { ChoiceFilter, Filters, TextFilter } from '../../parts/filters.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { PagedTable } from '../../parts/paged-table.tsx'
import { Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { thenInWords } from '../../parts/then-in-words.ts'
import { useFilters } from '../../parts/use-filter.ts'
import { DownloadButton } from '../../session/download-button.tsx'
import { usePages } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { reportEveryMs, useReadWithReport } from './use-read-with-report.ts'

const labels = { search: 'Address' }

/** The address of a contact that was erased is replaced by a marker with its id. */
const isErased = ({ email }: { email: string }) => email.startsWith('erased:')

/** Everybody of a run with what became of the email, as new as the report. */
export function Recipients({ report, isLive }: { report: CampaignReportResponse; isLive: boolean }) {
  const runId = report.campaign_run.id
  const { name, console } = useWorkspace()
  const filters = useFilters('search', 'state', 'outcome')
  const pages = usePages(
    [name, 'recipients', runId, filters],
    (page, options) =>
      console.listCampaignRunRecipients({ ...page, run_id: runId, ...(filters as object), limit: 100 }, options),
    { everyMs: () => isLive && reportEveryMs },
  )
  useReadWithReport(report, isLive, pages.refetch)
  const csv = `/console/api/organizations/${name.replace('/', '/workspaces/')}/campaign-runs/${runId}/recipients.csv?${new URLSearchParams(filters)}`
  return (
    <Section
      title="Recipients"
      isPlain
      actions={
        <DownloadButton
          href={csv}
          read={() => console.exportCampaignRunRecipients({ run_id: runId, ...(filters as object) })}
          labels={labels}
        >
          Download as CSV
        </DownloadButton>
      }
    >
      <Filters>
        <TextFilter name="search" label={labels.search} placeholder="ada@" />
        <ChoiceFilter
          name="state"
          label="State"
          choices={[
            'pending',
            'claimed',
            'accepted',
            'delivered',
            'soft_failed',
            'hard_bounced',
            'skipped',
            'failed',
            'unknown',
          ]}
        />
        <ChoiceFilter
          name="outcome"
          label="Outcome"
          choices={['delivered', 'hard_bounced', 'soft_failed_only', 'no_terminal_event']}
        />
      </Filters>
      <PagedTable
        label="Recipients"
        labels={labels}
        pages={pages}
        rowsOf={(page) => page.recipients}
        keyOf={({ id }) => id}
        isEndless
        empty="No recipient matches"
        columns={[
          {
            title: 'Address',
            cell: (row) =>
              isErased(row) ? 'an erased contact' : <PageLink to={`/contacts/${row.contact_id}`}>{row.email}</PageLink>,
          },
          { title: 'State', cell: (row) => <StateBadge state={row.state} /> },
          {
            title: 'Why',
            cell: (row) => (
              <Text size="sm">{row.reasons.map((reason) => explained(reason).means).join(' ') || '–'}</Text>
            ),
          },
          { title: 'Handed off', cell: (row) => <Moment at={row.handed_off_at} /> },
          {
            title: 'Then',
            cell: thenInWords,
          },
        ]}
      />
    </Section>
  )
}
