import type { Import } from '@lettergate/client'
import { Alert, Button, Group, Text } from '@mantine/core'
import type { RefObject } from 'react'
import { ActDialog } from '../../dialogs/act-button.tsx'
import { Section } from '../../parts/section.tsx'
import { useFields } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { CanSend, useWhatCanSend } from './can-send.tsx'
import { approvalInWords } from './consent-words.ts'
import { columnsInWords } from './mapped-columns.ts'
import { useAudienceNames } from '../../session/use-audience-names.ts'

/** Offers to approve the report, unless something can send, and to map the file again. */
export function Review({
  mapAgain,
  onMapAgain,
  onApprove,
}: {
  mapAgain: RefObject<HTMLButtonElement | null>
  onMapAgain: () => void
  onApprove: () => void
}) {
  const { may } = useWorkspace()
  return (
    <Section title="Approval">
      {may('approve_imports') ? (
        <Approval onApprove={onApprove} />
      ) : (
        <Text size="sm">An owner or a brand admin approves it.</Text>
      )}
      {may('upsert_contacts') && (
        <Text size="sm">
          Not right?{' '}
          <button type="button" className="as-link" ref={mapAgain} onClick={onMapAgain}>
            Map the columns again
          </button>
          . Nothing was written so far.
        </Text>
      )}
    </Section>
  )
}

function Approval({ onApprove }: { onApprove: () => void }) {
  const audiences = useAudienceNames()
  const canSend = useWhatCanSend()
  // Without the name nobody knows for which audience it is.
  const isRefused = !audiences.read.data || (canSend.found?.length ?? 0) > 0
  return (
    <>
      <CanSend {...canSend} />
      <Group>
        <Button size="compact-sm" disabled={isRefused} onClick={onApprove}>
          Approve
        </Button>
      </Group>
    </>
  )
}

/** Asks to approve the report that was shown when the dialog was opened, and says when it cannot be approved any more. */
export function ApproveDialog({ asked, job, onClose }: { asked: Import; job: Import; onClose: () => void }) {
  const { name, api } = useWorkspace()
  const audiences = useAudienceNames()
  const fields = useFields()
  const phrase = `APPLY CSV IMPORT ${asked.id} TO ${name}`
  const isStill = job.status === 'ready_for_review' && job.report_checksum === asked.report_checksum
  return (
    <ActDialog
      label="Approve"
      title="Apply this import?"
      act="Approve and apply"
      consequences={[
        ...approvalInWords(
          asked,
          audiences.nameOf(asked.audience_id),
          columnsInWords(asked, fields.data?.field_definitions ?? []),
        ),
        'The contacts and consents of the report are written. The record of consent cannot be changed later.',
        'It is refused while anything can send: test sends, a sender, the workspace or the platform gate.',
        `You approve the report with the checksum ${asked.report_checksum?.slice(0, 16)}…, and no other.`,
      ]}
      phrase={phrase}
      isReady={isStill}
      run={() =>
        api.approveImport({ job_id: asked.id, body: { confirmation: phrase, report_checksum: asked.report_checksum } })
      }
      onClose={onClose}
    >
      {!isStill && (
        <Alert color="orange" role="alert" title={whyNotAnyMore(job.status)}>
          Close this, and read the page.
        </Alert>
      )}
    </ActDialog>
  )
}

function whyNotAnyMore(status: Import['status']): string {
  if (['apply_queued', 'applying', 'completed'].includes(status)) return 'The import is approved'
  if (['cancelled', 'expired', 'failed'].includes(status)) return 'The import has ended'
  return 'Somebody mapped the file again: the report is another one'
}
