import type { CampaignReportResponse } from '@lettergate/client'
import type { CampaignRunMoment } from '@lettergate/client/console'
import { Text } from '@mantine/core'
import { Loaded } from '../../parts/loaded.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { useReadWithReport } from './use-read-with-report.ts'

const series = [
  ['handed_off', 'handed off', 'var(--mantine-color-indigo-7)'],
  ['delivered', 'delivered', 'var(--mantine-color-green-7)'],
  ['bounced', 'bounced', 'var(--mantine-color-red-7)'],
] as const

/** Hand-offs, deliveries and bounces over time, as new as the report. */
export function RunTimeline({ report, isLive }: { report: CampaignReportResponse; isLive: boolean }) {
  const runId = report.campaign_run.id
  const { name, console } = useWorkspace()
  const answer = useAnswer([name, 'run-timeline', runId], (options) =>
    console.getCampaignRunTimeline({ run_id: runId }, options),
  )
  useReadWithReport(report, isLive, answer.refetch)
  return (
    <Section title="Over time">
      <Loaded answer={answer}>
        {({ timeline, bucket }) =>
          timeline.length === 0 ? (
            <Text size="sm">Nothing happened yet.</Text>
          ) : (
            <>
              <Bars timeline={timeline.slice(0, 240)} bucket={bucket} />
              <Text size="sm">
                {series.map(([key, words, color], index) => (
                  <span key={key}>
                    {index > 0 && ', '}
                    <span aria-hidden style={{ color }}>
                      ■
                    </span>{' '}
                    {words} {timeline.reduce((sum, moment) => sum + moment[key], 0).toLocaleString('en')}
                  </span>
                ))}
                . One bar is one {bucket}.
              </Text>
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Bars({ timeline, bucket }: { timeline: readonly CampaignRunMoment[]; bucket: string }) {
  const highest = Math.max(1, ...timeline.flatMap((moment) => series.map(([key]) => moment[key])))
  const width = Math.max(12, timeline.length) * 10
  return (
    <svg viewBox={`0 0 ${width} 100`} width="100%" height={120} preserveAspectRatio="none" role="img">
      <title>{`Hand-offs, deliveries and bounces by ${bucket}`}</title>
      {timeline.map((moment, index) =>
        series.map(([key, words, fill], place) => (
          <rect
            key={`${moment.at} ${key}`}
            x={index * 10 + place * 3}
            y={100 - (moment[key] / highest) * 98}
            width={2.6}
            height={(moment[key] / highest) * 98}
            style={{ fill }}
          >
            <title>{`${moment.at}: ${moment[key]} ${words}`}</title>
          </rect>
        )),
      )}
    </svg>
  )
}
