import type { Import } from '@lettergate/client'
import { DataTable } from '../../parts/data-table.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { useFields } from '../../session/use-lists.ts'
import { evidenceOf, policies, statusOfRows } from './consent-words.ts'
import { columnsOf, namedMapping, statusLinesOf, targetChoices } from './guess-mapping.ts'
import { useAudienceNames } from './use-audience-names.ts'

const leftOutMost = 30

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
  const labels = new Map(targetChoices(fields.data?.field_definitions ?? []).map(({ value, label }) => [value, label]))
  const columns = columnsOf(job.headers)
  const mapping = namedMapping(columns, job.mapping)
  const used = columns.filter(({ key }) => mapping[key] !== 'ignore')
  const hasStatus = Object.values(mapping).includes('status')
  const tags = job.policy['static_tags']
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
          ['Tags for every contact', Array.isArray(tags) && tags.join(', ')],
          ['Left out', leftOut(columns.filter((column) => !used.includes(column)).map(({ label }) => label))],
        ]}
      />
      <DataTable
        label="Columns"
        rows={used}
        keyOf={({ key }) => key}
        empty=""
        columns={[
          { title: 'Column of the file', cell: ({ label }) => label },
          { title: 'Becomes', cell: ({ key }) => labels.get(mapping[key]!) ?? mapping[key] },
        ]}
      />
    </Section>
  )
}

const leftOut = (labels: readonly string[]): string =>
  labels.length > leftOutMost
    ? `${labels.slice(0, leftOutMost).join(', ')} and ${labels.length - leftOutMost} more`
    : labels.join(', ')
