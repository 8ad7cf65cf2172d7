import { List, Text } from '@mantine/core'
import { FailedReads } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useAudiences, useConnections, useDomains, useSenders } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { firstStepsOf } from './first-steps.ts'

/** The way to the first campaign; nothing when all of it is done, or not known yet. What could not be read is said. */
export function FirstSteps() {
  const { name, console, workspace } = useWorkspace()
  const audiences = useAudiences()
  const senders = useSenders()
  const domains = useDomains()
  const connections = useConnections()
  const templates = useAnswer([name, 'templates'], (options) => console.listEmailTemplates({ limit: 100 }, options))
  const campaigns = useAnswer([name, 'campaigns', 'first'], (options) => console.listCampaigns({ limit: 1 }, options))
  const reads = [audiences, senders, domains, connections, templates, campaigns]
  if (reads.some(({ data, error }) => data === undefined && error !== null))
    return (
      <Section title="To the first campaign">
        <FailedReads of={reads} />
      </Section>
    )
  if (!audiences.data || !senders.data || !domains.data || !connections.data || !templates.data || !campaigns.data)
    return null
  const steps = firstStepsOf({
    hasActiveConnection: connections.data.provider_connections.some((one) => one.is_active),
    hasReadyDomain: domains.data.sending_domains.some((one) => one.is_ready),
    hasEnabledSender: senders.data.sender_identities.some((one) => one.is_enabled),
    isSendingActive: workspace.production_sending_enabled,
    hasAudience: audiences.data.audiences.length > 0,
    hasMembers: audiences.data.audiences.some((one) => one.active_member_count > 0),
    hasContent: templates.data.email_templates.some((one) => one.content_versions > 0),
    hasCampaign: campaigns.data.campaigns.length > 0,
  })
  const next = steps.find(({ isDone }) => !isDone)
  if (next === undefined || workspace.is_archived) return null
  return (
    <Section title="To the first campaign" about={`Next: ${next.title.toLowerCase()}.`}>
      <List type="ordered" size="sm" spacing={4}>
        {steps.map(({ title, isDone, at }) => (
          <List.Item key={title}>
            {isDone ? (
              <Text span inherit c="dimmed">
                {title}: done
              </Text>
            ) : (
              <PageLink to={at}>{title}</PageLink>
            )}
          </List.Item>
        ))}
      </List>
    </Section>
  )
}
