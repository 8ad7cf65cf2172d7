import type { Import } from '@lettergate/client'
import { Alert, Text } from '@mantine/core'
import { Copied } from '../../parts/copy-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { reasonInWords } from '../../parts/explanations.ts'
import { Facts, Section } from '../../parts/section.tsx'
import { SharesBar } from '../../parts/shares-bar.tsx'
import { reasonsOf, reconciliationOf, rowsOf, totalsOf } from './report.ts'

/** What an import would do, or did: every row in one count, and each reason with what to change. */
export function ReportView({ job }: { job: Import }) {
  const { rows, newContacts, knownContacts } = totalsOf(job.report)
  const reasons = reasonsOf(job.report)
  return (
    <Section title="Report of the dry run" about="Every row of the file is in exactly one of these counts.">
      <SharesBar
        label="Rows"
        shares={rowsOf(job.report)
          .filter(({ count }) => count > 0)
          .map(({ title, count, color }) => ({ name: title, count, color }))}
      />
      <Facts
        of={[
          ['Rows', rows.toLocaleString('en')],
          ['New contacts', newContacts.toLocaleString('en')],
          ['Contacts that exist already', knownContacts.toLocaleString('en')],
          [
            'Checksum of the report',
            <Copied
              key="sum"
              value={job.report_checksum ?? ''}
              shown={`${job.report_checksum?.slice(0, 16)}…`}
              of="the checksum of the report"
            />,
          ],
        ]}
      />
      {reasons.length > 0 && (
        <DataTable
          label="Reasons"
          rows={reasons}
          keyOf={({ reason }) => reason}
          empty=""
          columns={[
            { title: 'Reason', cell: ({ reason }) => reasonInWords(reason) },
            { title: 'Rows', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
            { title: 'What to change', cell: ({ what_to_change }) => <Text size="sm">{what_to_change}</Text> },
          ]}
        />
      )}
    </Section>
  )
}

/** Whether the import did what the approved report said. */
export function Reconciliation({ job }: { job: Import }) {
  const found = reconciliationOf(job.report)
  if (found === undefined) return null
  return (
    <Section title="Reconciliation">
      <Alert
        color={found.matches ? 'green' : 'orange'}
        title={found.matches ? 'It did what the report said' : 'It differs'}
      >
        {found.matches
          ? 'The record of consent and the tables agree with the approved report.'
          : 'The data changed between the dry run and the apply, for example because somebody left in this time.'}
      </Alert>
      <DataTable
        label="Reconciliation"
        rows={found.counts}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { title: 'What', cell: ({ name }) => name },
          { title: 'Expected', isNumber: true, cell: ({ expected }) => expected.toLocaleString('en') },
          { title: 'Done', isNumber: true, cell: ({ actual }) => actual.toLocaleString('en') },
        ]}
      />
    </Section>
  )
}
