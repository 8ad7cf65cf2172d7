import { List } from '@mantine/core'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { counted } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'

/** What waits for a person; nothing when nothing does. */
export function NeedsYou() {
  const { name, api, console } = useWorkspace()
  const imports = useAnswer([name, 'imports'], (options) => api.listImports({}, options), { everyMs: 15_000 })
  const paused = useAnswer([name, 'runs', 'paused'], (options) =>
    console.listCampaignRuns({ state: 'paused', limit: 50 }, options),
  )
  const waiting = imports.data?.imports.filter(({ status }) => ['ready_for_review', 'failed'].includes(status)) ?? []
  const runs = paused.data?.campaign_runs ?? []
  if (waiting.length + runs.length === 0) return null
  return (
    <Section title="This needs you">
      <List size="sm">
        {runs.length > 0 && (
          <List.Item>
            <PageLink to="/runs?state=paused">{counted(runs.length, 'run')}</PageLink> paused: resume or cancel.
          </List.Item>
        )}
        {waiting.map((job) => (
          <List.Item key={job.id}>
            Import <PageLink to={`/imports/${job.id}`}>{job.filename}</PageLink>:{' '}
            {job.status === 'failed' ? 'it failed; retry or cancel.' : 'read its report, then approve it.'}
          </List.Item>
        ))}
      </List>
    </Section>
  )
}
