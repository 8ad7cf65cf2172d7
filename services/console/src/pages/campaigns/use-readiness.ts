import type { DetailedCampaign } from '@lettergate/client/console'
import { useEffect, useState } from 'react'
import { api as publicApi } from '../../session/clients.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useGates } from '../../session/use-gates.ts'
import { useAudiences, useConnections, useDomains, useSenders, useTags } from '../../session/use-lists.ts'
import { administersPlatform } from '../../session/use-me.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import type { CheckedCondition } from '../../parts/conditions-list.tsx'
import { conditionsOf } from './readiness.ts'

/** The time when it is drawn, which is soon again: a time that was chosen passes, also while nothing else changes. */
function useNow(): Date {
  const [, draw] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => draw((count) => count + 1), 5_000)
    return () => clearInterval(timer)
  }, [])
  return new Date()
}

/** Reads what the conditions of a schedule depend on. Undefined until all of it is there. */
export function useReadiness(
  campaign: DetailedCampaign,
  scheduledFor: Date | null,
): { conditions: CheckedCondition[] | undefined; error: unknown } {
  const { name, console, me, workspace, may } = useWorkspace()
  const { draft } = campaign
  const now = useNow()
  const health = useAnswer(['health'], (options) => publicApi.getHealth({}, options), { everyMs: 15_000 })
  const isAdministrator = administersPlatform(me)
  const gates = useGates({ enabled: isAdministrator })
  const audiences = useAudiences()
  const tags = useTags()
  const senders = useSenders()
  const domains = useDomains()
  const connections = useConnections()
  const content = useAnswer([name, 'content', draft.content_version_id], (options) =>
    console.getContentVersion({ content_version_id: draft.content_version_id }, options),
  )
  const templateId = content.data?.content_version.template_id
  const template = useAnswer(
    [name, 'template', templateId],
    (options) => console.getEmailTemplate({ template_id: templateId ?? '' }, options),
    { enabled: templateId !== undefined },
  )
  const all = [health, gates, audiences, tags, senders, domains, connections, content, template]
  const error = all.find((answer) => answer.error)?.error
  if (
    !health.data ||
    !audiences.data ||
    !tags.data ||
    !senders.data ||
    !domains.data ||
    !connections.data ||
    !template.data
  )
    return { conditions: undefined, error }
  if (isAdministrator && !gates.data) return { conditions: undefined, error }
  const sender = senders.data.sender_identities.find(({ id }) => id === draft.sender_identity_id)
  const domain = domains.data.sending_domains.find(({ id }) => id === sender?.sending_domain_id)
  const conditions = conditionsOf({
    campaign,
    maySchedule: may('schedule_campaign'),
    scheduledFor,
    now,
    audiences: audiences.data.audiences,
    tags: tags.data.tags,
    isTemplateArchived: template.data.email_template.archived,
    sender,
    domain,
    connection: connections.data.provider_connections.find(({ id }) => id === domain?.provider_connection_id),
    isProductionGateOpen: health.data.production_sending_enabled,
    productionGate: gates.data?.gates.find((gate) => gate.name === 'production_sending_enabled'),
    workspace,
  })
  return { conditions, error }
}
