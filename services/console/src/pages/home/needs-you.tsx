import { List } from '@mantine/core'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { counted } from '../../parts/words.ts'
import { consoleApi } from '../../session/clients.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useAutomations } from '../../session/use-lists.ts'
import { administersPlatform } from '../../session/use-me.ts'
import { useWorkspace } from '../../session/workspace.tsx'

const most = 50

/** “3 runs”, and “50 or more runs” when the first page is full. */
const atLeast = (count: number, noun: string) => (count < most ? counted(count, noun) : `${most} or more ${noun}s`)

/** What waits for a person; nothing when nothing does. Only what the role of the user can do. */
export function NeedsYou() {
  const { name, me, may, api, console } = useWorkspace()
  const imports = useAnswer([name, 'imports'], (options) => api.listImports({}, options), { everyMs: 15_000 })
  const paused = useAnswer(
    [name, 'runs', 'paused'],
    (options) => console.listCampaignRuns({ state: 'paused', limit: most }, options),
    { enabled: may('pause_delivery') },
  )
  const drafts = useAnswer(
    [name, 'campaigns', 'drafts'],
    (options) => console.listCampaigns({ status: 'draft', limit: most }, options),
    { enabled: may('schedule_campaign') },
  )
  const automations = useAutomations({ enabled: may('edit_automations') })
  const open = useAnswer(['alerts', 'open'], (options) => consoleApi.listAlerts({ acknowledged: false }, options), {
    everyMs: 30_000,
    enabled: administersPlatform(me),
  })
  const waiting =
    imports.data?.imports.filter(
      ({ status }) =>
        (status === 'ready_for_review' && may('approve_imports')) || (status === 'failed' && may('upsert_contacts')),
    ) ?? []
  const runs = paused.data?.campaign_runs ?? []
  const alerts = open.data?.alerts ?? []
  const campaigns = drafts.data?.campaigns ?? []
  // The frame may have read them for every role.
  const toReview = may('edit_automations')
    ? (automations.data?.automations.filter(({ status }) => status === 'draft') ?? [])
    : []
  const reads = [imports, paused, drafts, automations, open]
  const isComplete = reads.every(({ error, data }) => error === null || data !== undefined)
  if (isComplete && alerts.length + runs.length + waiting.length + campaigns.length + toReview.length === 0) return null
  return (
    <Section title="This needs you">
      <FailedReads of={reads} />
      <List size="sm">
        {alerts.length > 0 && (
          <List.Item>
            <PageLink to="~/console/platform/alerts">{atLeast(alerts.length, 'alert')}</PageLink> of the platform:
            follow the runbook, then acknowledge.
          </List.Item>
        )}
        {runs.length > 0 && (
          <List.Item>
            <PageLink to="/runs?state=paused">{atLeast(runs.length, 'run')}</PageLink> paused: resume or cancel.
          </List.Item>
        )}
        {waiting.map((job) => (
          <List.Item key={job.id}>
            Import <PageLink to={`/imports/${job.id}`}>{job.filename}</PageLink>:{' '}
            {job.status === 'failed' ? 'it failed; retry or cancel.' : 'read its report, then approve it.'}
          </List.Item>
        ))}
        {campaigns.length > 0 && (
          <List.Item>
            <PageLink to="/campaigns?status=draft">{atLeast(campaigns.length, 'campaign')}</PageLink> not scheduled yet:
            finish, schedule or delete.
          </List.Item>
        )}
        {toReview.length > 0 && (
          <List.Item>
            <PageLink to="/automations?status=draft">{counted(toReview.length, 'automation')}</PageLink> not reviewed
            yet: review, then publish.
          </List.Item>
        )}
      </List>
    </Section>
  )
}
