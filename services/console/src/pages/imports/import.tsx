import type { Import } from '@lettergate/client'
import { Alert, Progress, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useParams } from 'wouter'
import { ActButton } from '../../dialogs/act-button.tsx'
import { Copied } from '../../parts/copy-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { MappingForm } from './mapping-form.tsx'
import { nextStepOf } from './next-step.ts'
import { isMappedMeanwhile, isUnmapped, mappingOf, useOpenedMapping } from './opened-mapping.ts'
import { progressOf } from './report.ts'
import { ApproveDialog, Review } from './review.tsx'
import { Reconciliation, ReportView } from './report-view.tsx'
import { WhatIsImported } from './what-is-imported.tsx'

const running: readonly Import['status'][] = ['dry_run_queued', 'dry_run_running', 'apply_queued', 'applying']
const unfinished: readonly Import['status'][] = ['uploaded', ...running, 'ready_for_review', 'failed']

/** One import: what it is, mapping, dry run, report, approval, progress and reconciliation, in this order. */
export default function ImportPage() {
  const { id } = useParams<{ id: string }>()
  const { name, api } = useWorkspace()
  const answer = useAnswer([name, 'import', id], (options) => api.getImport({ job_id: id }, options), {
    everyMs: 2_000,
  })
  const job = answer.data?.import
  return (
    <Page
      title={job?.filename ?? 'Import'}
      about={
        job && (
          <>
            <StateBadge state={job.status} /> Next: {nextStepOf(job.status)}.
          </>
        )
      }
      actions={job && <Acts job={job} />}
    >
      <RoleNote needs="upsert_contacts" />
      <Loaded answer={answer}>{(data) => <Content key={data.import.id} job={data.import} />}</Loaded>
    </Page>
  )
}

function Content({ job }: { job: Import }) {
  const { may } = useWorkspace()
  const { opened, isAsked, open, close, closeSaved } = useOpenedMapping(job, may('upsert_contacts'))
  const mapAgain = useRef<HTMLButtonElement>(null)
  const [approved, setApproved] = useState<Import | null>(null)
  const cancel = () => {
    flushSync(close)
    mapAgain.current?.focus()
  }
  const progress = progressOf(job.report)
  return (
    <>
      {job.error && (
        <Alert color="red" title="The import stopped">
          {String(job.error['message'] ?? job.error['reason'])}
        </Alert>
      )}
      <WhatIsImported job={job} isBeingMapped={opened !== null} />
      {opened && (
        <MappingForm
          key={mappingOf(opened)}
          job={opened}
          takesFocus={isAsked}
          isMappedMeanwhile={isMappedMeanwhile(opened, job)}
          onTake={open}
          onSaved={closeSaved}
          onCancel={isUnmapped(job) ? undefined : cancel}
        />
      )}
      {running.includes(job.status) && (
        <Section title={job.status.startsWith('dry') ? 'Dry run' : 'Applying'}>
          <Text size="sm" role="status">
            {progress ? `${progress.phase}: ${progress.words}` : 'Waits for a worker.'}
          </Text>
          <Progress value={progress?.percent ?? 0} animated size="lg" aria-label="Progress" />
        </Section>
      )}
      {job.report_checksum && <ReportView job={job} />}
      {job.status === 'ready_for_review' && opened === null && (
        <Review mapAgain={mapAgain} onMapAgain={open} onApprove={() => setApproved(job)} />
      )}
      {approved && <ApproveDialog asked={approved} job={job} onClose={() => setApproved(null)} />}
      {job.status === 'completed' && <Reconciliation job={job} />}
      <Section title="File">
        <Facts
          of={[
            ['Source', job.source_label],
            ['Size', `${job.payload_size.toLocaleString('en')} bytes`],
            ['The file itself', job.payload_retained ? 'Kept, encrypted' : 'Destroyed with its key'],
            ['Uploaded', <Moment key="up" at={job.created_at} />],
            ['By', job.requested_by_wallet_id],
            ['Approved by', job.approved_by_wallet_id],
            ['Expires', unfinished.includes(job.status) && <Moment key="ex" at={job.expires_at} />],
            ['Completed', job.completed_at && <Moment key="done" at={job.completed_at} />],
            [
              'SHA-256',
              <Copied
                key="sha"
                value={job.file_sha256}
                shown={`${job.file_sha256.slice(0, 16)}…`}
                of="the SHA-256 of the file"
              />,
            ],
          ]}
        />
      </Section>
    </>
  )
}

function Acts({ job }: { job: Import }) {
  const { api, may } = useWorkspace()
  if (!may('upsert_contacts')) return null
  return (
    <>
      {job.status === 'failed' && (
        <ActButton
          label="Retry"
          title="Continue the import?"
          consequences={['With a valid approval it goes on where it stopped. Otherwise a dry run begins.']}
          run={() => api.retryImport({ job_id: job.id })}
        />
      )}
      {unfinished.includes(job.status) && (
        <ActButton
          label="Cancel"
          title="Cancel the import?"
          act="Cancel the import"
          isDangerous
          consequences={['The file and its key are destroyed.', 'Rows that were applied before stay.']}
          run={() => api.cancelImport({ job_id: job.id })}
        />
      )}
    </>
  )
}
