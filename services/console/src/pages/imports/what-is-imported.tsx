import type { Import } from '@lettergate/client'
import { DataTable } from '../../parts/data-table.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { useFields } from '../../session/use-lists.ts'
import { evidenceOf, policies, statusOfRows, tagsOf } from './consent-words.ts'
import { statusLinesOf } from './guess-mapping.ts'
import { columnsInWords, firstOf } from './mapped-columns.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'

/** Whose consent a file gives, and with which evidence: what a person approves. `isBeingMapped`: a form below says all but the audience. */
export function WhatIsImported({ job, isBeingMapped }: { job: Import; isBeingMapped: boolean }) {
  const audiences = useAudienceNames()
  const fields = useFields()
  const audience = audiences.nameOf(job.audience_id)
  const target = audiences.find(job.audience_id) ? (
    <PageLink to={`/audiences/${job.audience_id}`}>{audience}</PageLink>
  ) : (
    audience
  )
  if (isBeingMapped || job.consent_policy === null)
    return (
      <Section title="What is imported">
        <FailedReads of={[audiences.read]} />
        <Facts of={[['Audience', target]]} />
      </Section>
    )
  const { used, leftOut } = columnsInWords(job, fields.data?.field_definitions ?? [])
  const hasStatus = Object.values(job.mapping).includes('status')
  return (
    <Section title="What is imported">
      <FailedReads of={[audiences.read, fields]} />
      <Facts
        of={[
          ['Audience', target],
          ['What the file proves', policies[job.consent_policy]],
          ...evidenceOf(job),
          [hasStatus ? 'What an empty status means' : 'What every row means', statusOfRows(job)],
          [
            'What the cells of the status mean',
            hasStatus && statusLinesOf(job.policy['status_values']).split('\n').join(', '),
          ],
          ['Tags for every contact', tagsOf(job).join(', ')],
          ['Left out', firstOf(leftOut)],
        ]}
      />
      <DataTable
        label="Columns"
        rows={used}
        keyOf={({ key }) => key}
        empty=""
        columns={[
          { title: 'Column of the file', cell: ({ label }) => label },
          { title: 'Becomes', cell: ({ target: becomes }) => becomes },
        ]}
      />
    </Section>
  )
}
