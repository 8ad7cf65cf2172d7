import type { DetailedCampaign, DetailedCampaignWithRunsResponse, DetailedDraft } from '@lettergate/client/console'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { ActButton, ActDialog } from '../../dialogs/act-button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ConditionsList } from '../../parts/conditions-list.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { LateReads } from '../../parts/late-reads.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { MomentInput } from '../../parts/moment-input.tsx'
import { MomentBy, momentInWords } from '../../parts/moment.tsx'
import { Page, PageLoading } from '../../parts/page.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences, useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { SendTest } from '../sending/send-test.tsx'
import { ContentLink } from '../templates/content-link.tsx'
import { Preview } from '../templates/preview.tsx'
import { atMostInWords } from './at-most.ts'
import { DraftChanges } from './draft-changes.tsx'
import { tagsInWords } from './draft-differences.ts'
import { missingOf } from './readiness.ts'
import { RunsTable } from './runs-table.tsx'
import { useReadiness } from './use-readiness.ts'

/** One campaign: what it sends, its recipients, whether it can be scheduled, its versions and its runs. */
export default function CampaignPage() {
  const { id } = useParams<{ id: string }>()
  const { name, console, may } = useWorkspace()
  const answer = useAnswer([name, 'campaign', id], (options) => console.getCampaign({ campaign_id: id }, options), {
    everyMs: 10_000,
  })
  const campaign = answer.data?.campaign
  return (
    <Page
      title={campaign?.draft.name ?? 'Campaign'}
      about={campaign && <StateBadge state={campaign.status} />}
      actions={
        campaign &&
        may('edit_content') && (
          <>
            {campaign.status === 'draft' && (
              <Button component={Link} href={`/campaigns/${id}/edit`} variant="default" size="compact-sm">
                Edit
              </Button>
            )}
            {answer.data && canBeDeleted(answer.data) && (
              <ActButton
                label="Delete"
                title={`Delete ${campaign.draft.name}?`}
                act="Delete the campaign"
                isDangerous
                consequences={['The campaign and its drafts disappear for everybody. Nothing of it was sent.']}
                run={() => console.deleteCampaign({ campaign_id: id })}
                goesTo={() => '/campaigns'}
                removes={id}
              />
            )}
          </>
        )
      }
    >
      <RoleNote needs="edit_content" />
      <Loaded answer={answer}>{(data) => <Content data={data} />}</Loaded>
    </Page>
  )
}

/** A campaign stays on record once a run of it began, and while one is going to. The service refuses the same. */
const canBeDeleted = ({ runs }: DetailedCampaignWithRunsResponse): boolean =>
  runs.every(({ started_at, state }) => started_at === null && (state === 'unscheduled' || state === 'cancelled'))

function Content({ data }: { data: DetailedCampaignWithRunsResponse }) {
  const { campaign, versions } = data
  const [isScheduling, setScheduling] = useState(false)
  return (
    <>
      <DraftFacts campaign={campaign} />
      <Preview versionId={campaign.draft.content_version_id} />
      {(campaign.status === 'draft' || isScheduling) && (
        <Schedule campaign={campaign} isOpen={isScheduling} onOpen={setScheduling} />
      )}
      <DraftChanges data={data} />
      <Section title="Runs" isPlain>
        <RunsTable campaignId={campaign.id} />
      </Section>
      <Section title="Versions of the draft" about="The newest 100. The current one is sent." isPlain>
        <DataTable
          label="Versions"
          rows={versions}
          keyOf={({ id }) => id}
          empty="No version"
          columns={[
            { title: 'Version', cell: (draft) => draft.version },
            { title: 'Name', cell: (draft) => draft.name },
            {
              title: 'Saved',
              cell: (draft) => <MomentBy at={draft.created_at} by={draft.created_by} />,
            },
            { title: 'Notes', cell: (draft) => draft.notes ?? '–' },
          ]}
        />
      </Section>
    </>
  )
}

/** What a draft sends, in words. What is not read yet is … */
function useWhatIsSent(draft: DetailedDraft) {
  const { name, console } = useWorkspace()
  const audiences = useAudiences()
  const senders = useSenders()
  const content = useAnswer([name, 'content', draft.content_version_id], (options) =>
    console.getContentVersion({ content_version_id: draft.content_version_id }, options),
  )
  const unread = (answer: { error: unknown }) => (answer.error ? '–' : '…')
  const sender = senders.data?.sender_identities.find(({ id }) => id === draft.sender_identity_id)
  return {
    reads: [content, senders, audiences],
    subject: content.data?.content_version.subject ?? unread(content),
    chosen: audiences.data?.audiences.filter(({ id }) => draft.audience_ids.includes(id)),
    from: sender ? `${sender.display_name} <${sender.from_address}>` : unread(senders),
    to: draft.audience_ids
      .map((id) => audiences.data?.audiences.find((audience) => audience.id === id)?.name ?? unread(audiences))
      .join(', '),
  }
}

function DraftFacts({ campaign: { draft, status } }: { campaign: DetailedCampaign }) {
  const { reads, subject, from, to, chosen } = useWhatIsSent(draft)
  return (
    <Section title="What is sent" actions={<SendTest contentVersionId={draft.content_version_id} />}>
      <FailedReads of={reads} />
      <Facts
        of={[
          ['Subject', subject],
          ['Template', <ContentLink key="template" id={draft.content_version_id} />],
          ['From', from],
          ['To', to],
          ['Tags', tagsInWords(draft.tag_filter)],
          ['Recipients', status === 'draft' && chosen ? atMostInWords(chosen, draft.tag_filter !== null) : null],
          ['Notes', draft.notes],
        ]}
      />
      <LateReads of={reads} />
    </Section>
  )
}

interface ScheduleProps {
  campaign: DetailedCampaign
  /** whether its dialog is open, and stays so whatever becomes of the campaign meanwhile */
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}

function Schedule({ campaign, isOpen, onOpen }: ScheduleProps) {
  const { api, may } = useWorkspace()
  const [at, setAt] = useState('')
  const scheduledFor = at === '' ? null : new Date(at)
  const { conditions, error } = useReadiness(campaign, scheduledFor)
  const { draft } = campaign
  const { subject, to } = useWhatIsSent(draft)
  const missing = conditions && missingOf(conditions)
  const missingInWords = missing === 1 ? 'One condition is missing.' : `${missing} conditions are missing.`
  return (
    <Section
      title="Ready to schedule?"
      about="All eleven conditions must hold. The service checks them again when you schedule, and each recipient when the email is handed off."
    >
      <MomentInput label="Send at" value={at} onChange={setAt} maw={260} />
      {Boolean(error) && <ErrorNotice error={error} />}
      {conditions ? <ConditionsList conditions={conditions} /> : !error && <PageLoading />}
      {missing === 0 && scheduledFor && may('schedule_campaign') ? (
        <div>
          <Button size="sm" onClick={() => onOpen(true)}>
            Schedule
          </Button>
        </div>
      ) : (
        missing !== undefined && (
          <Text size="sm" fw={600} role="status">
            {missing === 0 ? 'All conditions hold. Owners, brand admins and editors can schedule it.' : missingInWords}
          </Text>
        )
      )}
      {isOpen && scheduledFor && (
        <ActDialog
          label="Schedule"
          title={`Schedule ${draft.name}`}
          act="Schedule the campaign"
          consequences={[
            `Version ${draft.version} is sent, with the subject “${subject}”, to ${to}${draft.tag_filter ? ` (tags: ${tagsInWords(draft.tag_filter)})` : ''}.`,
            'The recipients are fixed now. People who join later do not get it; people who leave do not get it either.',
            `Sending begins ${momentInWords(scheduledFor)}.`,
            'Until then you can unschedule it. Sent emails cannot be called back.',
          ]}
          phrase={draft.name}
          run={(_, idempotency_key) =>
            api.scheduleCampaign(
              {
                campaign_id: campaign.id,
                body: { scheduled_for: scheduledFor.toISOString(), expected_version: draft.version },
                idempotency_key,
              },
              { timeoutMs: 120_000 },
            )
          }
          goesTo={({ campaign_run }) => `/runs/${campaign_run.id}`}
          isReady={missing === 0}
          onClose={() => onOpen(false)}
        >
          {conditions && <ConditionsList conditions={conditions} />}
          {Boolean(missing) && (
            <Text size="sm" fw={600} role="status">
              {missingInWords}
            </Text>
          )}
        </ActDialog>
      )}
    </Section>
  )
}
