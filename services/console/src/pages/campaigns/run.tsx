import type { CampaignReport, CampaignRun } from '@lettergate/client'
import type { DetailedCampaignWithRunsResponse } from '@lettergate/client/console'
import { Alert } from '@mantine/core'
import { useParams } from 'wouter'
import { PageLink, PageLinkFromHere } from '../../parts/link.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { ReadNotices } from '../../parts/read-notices.tsx'
import { Facts, Section } from '../../parts/section.tsx'
import { SharesBar } from '../../parts/shares-bar.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { counted, inWords } from '../../parts/words.ts'
import { RoleNote } from '../../session/role-note.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { ContentLink } from '../templates/content-link.tsx'
import { ExclusionPicture } from './exclusion-picture.tsx'
import { holdOf } from './held-words.ts'
import { isLive } from './live-run.ts'
import { Recipients } from './recipients.tsx'
import { RunActs } from './run-acts.tsx'
import { RunTimeline } from './run-timeline.tsx'
import { UnknownRecipients } from './unknown-recipients.tsx'
import { usePace } from './use-pace.ts'
import { reportEveryMs } from './use-read-with-report.ts'

/** One run, live while it sends: how far it is, what became of the emails, and who got which. */
export default function RunPage() {
  const { id } = useParams<{ id: string }>()
  const { name, api, console } = useWorkspace()
  const answer = useAnswer([name, 'run', id], (options) => api.getCampaignRunReport({ run_id: id }, options), {
    everyMs: reportEveryMs,
  })
  const run = answer.data?.campaign_run
  const campaign = useAnswer(
    [name, 'campaign', run?.campaign_id],
    (options) => console.getCampaign({ campaign_id: run?.campaign_id ?? '' }, options),
    { enabled: run !== undefined },
  )
  const title = campaign.data?.campaign.draft.name
  return (
    <Page
      title={title ? `Run of ${title}${run?.resends_run_id ? ' (unknown again)' : ''}` : 'Run'}
      about={
        run && (
          <>
            <StateBadge state={run.state} /> planned for <Moment at={run.scheduled_for} />,{' '}
            <PageLink to={`/campaigns/${run.campaign_id}`}>see the campaign</PageLink>
          </>
        )
      }
      actions={run && <RunActs run={run} />}
    >
      {run && isLive(run.state) && <RoleNote needs="pause_delivery" cannot="pause, resume or cancel a run" />}
      <Loaded answer={answer}>
        {(data) => (
          <>
            <ReadNotices of={[campaign]} />
            <Held run={data.campaign_run} report={data.report} />
            <Progress
              run={data.campaign_run}
              report={data.report}
              answeredAt={answer.dataUpdatedAt}
              contentId={contentOf(id, campaign.data)}
            />
            <Outcomes report={data.report} />
            <UnknownRecipients
              run={data.campaign_run}
              unknown={data.report.unknown}
              isOver={!isLive(data.campaign_run.state)}
            />
            <ExclusionPicture run={data.campaign_run} report={data.report} />
            {data.report.started_at && <RunTimeline report={data} isLive={isLive(data.campaign_run.state)} />}
            <Recipients report={data} isLive={isLive(data.campaign_run.state)} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** The content version that a run sends: the one of its version of the draft, if that is among the newest. */
const contentOf = (runId: string, data: DetailedCampaignWithRunsResponse | undefined): string | undefined => {
  const sent = data?.runs.find(({ id }) => id === runId)?.draft_version
  return data?.versions.find(({ version }) => version === sent)?.content_version_id
}

function Held({ run, report }: { run: CampaignRun; report: CampaignReport }) {
  if (report.paused_by) {
    const { rule, count, settled, rate, limit } = report.paused_by
    return (
      <Alert color="orange" title="This run paused itself">
        {inWords(rule)}: {count.toLocaleString('en')} of {counted(settled, 'recipient')} is {rate} %, more than the
        limit of {limit} %. Find out why before you resume it.
      </Alert>
    )
  }
  if (report.held_by && run.state === 'sending') {
    const { what, means, page } = holdOf(report.held_by)
    return (
      <Alert color="orange" title={`Held: ${what}`}>
        {means}
        <PageLinkFromHere before=" See " path={page} after="." />
      </Alert>
    )
  }
  return null
}

function Progress({
  run,
  report,
  answeredAt,
  contentId,
}: {
  run: CampaignRun
  report: CampaignReport
  answeredAt: number
  contentId: string | undefined
}) {
  const done = report.sent + report.failed + report.skipped + report.unknown
  const left = Math.max(0, run.included_count - done)
  const pace = usePace({ sent: report.sent, at: answeredAt }, left, run.state === 'sending' && !report.held_by)
  return (
    <Section title="Progress">
      <SharesBar
        label="Progress"
        shares={[
          { name: 'Handed off', count: report.sent, color: 'indigo.7' },
          { name: 'Skipped', count: report.skipped, color: 'gray.6' },
          { name: 'Failed', count: report.failed, color: 'red.8' },
          { name: 'Unknown', count: report.unknown, color: 'yellow.6' },
          { name: 'Waiting', count: left, color: 'gray.3' },
        ]}
      />
      <Facts
        of={[
          ['Template', contentId && <ContentLink key="template" id={contentId} />],
          ['Started', report.started_at && <Moment at={report.started_at} />],
          ['Completed', report.completed_at && <Moment at={report.completed_at} />],
          ['Rate', pace.rate],
          ['Time left', pace.timeLeft],
        ]}
      />
    </Section>
  )
}

function Outcomes({ report }: { report: CampaignReport }) {
  return (
    <Section
      title="What became of the emails"
      about="Every email that was handed off has exactly one of these outcomes."
    >
      <SharesBar
        label="Outcomes"
        shares={[
          { name: 'Delivered', count: report.delivered, color: 'green.7' },
          { name: 'Hard bounced', count: report.hard_bounced, color: 'red.8' },
          { name: 'Soft failed only', count: report.soft_failed_only, color: 'yellow.6' },
          { name: 'No final answer yet', count: report.no_terminal_event, color: 'gray.5' },
        ]}
      />
      <Facts
        of={[
          ['Opened', counted(report.opened_recipients, 'recipient')],
          ['Clicked', counted(report.clicked_recipients, 'recipient')],
          ['Complained', counted(report.complained, 'recipient')],
          ['Left, probably because of it', report.unsubscribes_attributed?.toLocaleString('en')],
        ]}
      />
    </Section>
  )
}
