import { List, Text } from '@mantine/core'
import type { CampaignRunsResponse } from '@lettergate/client/console'
import type { UseQueryResult } from '@tanstack/react-query'
import { FailedReads, isMissing } from '../../parts/failed-reads.tsx'
import { PageLink } from '../../parts/link.tsx'
import { Section } from '../../parts/section.tsx'
import { useAnswer } from '../../session/use-answer.ts'
import { useHealth } from '../../session/use-health.ts'
import { useAudiences, useConnections, useDomains, useSenders } from '../../session/use-lists.ts'
import { administersPlatform } from '../../session/use-me.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { numberIn } from '../imports/report.ts'
import { doersInWords, firstStepsOf, type Doer, type FirstStep } from './first-steps.ts'

/**
 * The way to the first campaign; nothing after a run was scheduled, or while it is not known. It says what could not be
 * read, and who does what the user cannot do.
 */
export function FirstSteps({ runs }: { runs: UseQueryResult<CampaignRunsResponse> }) {
  const { name, api, console, workspace } = useWorkspace()
  const audiences = useAudiences()
  const senders = useSenders()
  const domains = useDomains()
  const connections = useConnections()
  const health = useHealth()
  const templates = useAnswer([name, 'templates'], (options) => console.listEmailTemplates({ limit: 100 }, options))
  const tests = useAnswer([name, 'test-sends', 'newest'], (options) => console.listTestSends({ limit: 20 }, options))
  const campaigns = useAnswer([name, 'campaigns', 'first'], (options) => console.listCampaigns({ limit: 1 }, options))
  // Another part of the page says it if they cannot be read.
  const imports = useAnswer([name, 'imports'], (options) => api.listImports({}, options))
  const hasRun = runs.data && runs.data.campaign_runs.length > 0
  if (hasRun || workspace.is_archived) return null
  const reads = [audiences, senders, domains, connections, health, templates, tests, campaigns, runs]
  if (reads.some(isMissing))
    return (
      <Section title="To the first campaign">
        <FailedReads of={reads} />
      </Section>
    )
  if (
    !audiences.data ||
    !senders.data ||
    !domains.data ||
    !connections.data ||
    !health.data ||
    !templates.data ||
    !tests.data ||
    !campaigns.data ||
    !runs.data
  )
    return null
  const hasReviews = imports.data?.imports.some(
    ({ status, report }) => status === 'completed' && numberIn(report, 'needs_review') > 0,
  )
  const facts = {
    hasActiveConnection: connections.data.provider_connections.some((one) => one.is_active),
    hasReadyDomain: domains.data.sending_domains.some((one) => one.is_ready),
    isGateOpen: health.data.production_sending_enabled,
    hasEnabledSender: senders.data.sender_identities.some((one) => one.is_enabled),
    hasAudience: audiences.data.audiences.length > 0,
    hasMembers: audiences.data.audiences.some((one) => one.active_member_count > 0),
    hasContent: templates.data.email_templates.some((one) => one.content_versions > 0),
    hasTestSend: tests.data.test_sends.some(({ state }) => state === 'accepted' || state === 'delivered'),
    isSendingActive: workspace.production_sending_enabled,
    hasCampaign: campaigns.data.campaigns.length > 0,
    hasRun: false,
  }
  const steps = firstStepsOf(facts, hasReviews)
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Section title="To the first campaign" about={next && `Next: ${next.title.toLowerCase()}.`}>
      <List type="ordered" size="sm" spacing={4}>
        {steps.map((step) => (
          <List.Item key={step.title}>
            {step.isDone ? (
              <Text span inherit c="dimmed">
                {step.title}: done
              </Text>
            ) : (
              <OpenStep step={step} />
            )}
          </List.Item>
        ))}
      </List>
    </Section>
  )
}

function OpenStep({ step: { title, at, by, before } }: { step: FirstStep }) {
  const { me, workspace, may } = useWorkspace()
  const isDoer: Record<Doer, boolean> = {
    platform: administersPlatform(me),
    owner: workspace.role === 'owner' || me.user.platform_role === 'owner',
    administrators: may('manage_senders'),
    authors: may('edit_content'),
  }
  const notes = [before, isDoer[by] ? undefined : doersInWords[by]].filter((note) => note !== undefined)
  return (
    <>
      {by === 'platform' && !isDoer.platform ? title : <PageLink to={at}>{title}</PageLink>}
      {notes.length > 0 && (
        <Text size="xs" c="dimmed" maw="46rem" component="div">
          {notes.join(' ')}
        </Text>
      )}
    </>
  )
}
