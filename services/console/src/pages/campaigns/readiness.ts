import type { Workspace } from '@lettergate/client'
import type {
  CountedAudience,
  DetailedCampaign,
  ListedProviderConnection,
  ListedSenderIdentity,
  ListedSendingDomain,
} from '@lettergate/client/console'
import type { CheckedCondition } from '../../parts/conditions-list.tsx'

/** What the conditions of a schedule are decided from. */
export interface ReadinessFacts {
  campaign: Pick<DetailedCampaign, 'id' | 'status' | 'draft'>
  maySchedule: boolean
  scheduledFor: Date | null
  now: Date
  audiences: readonly Pick<CountedAudience, 'id' | 'name' | 'is_archived'>[]
  isTemplateArchived: boolean
  sender: Pick<ListedSenderIdentity, 'display_name' | 'is_enabled' | 'sending_domain_id'> | undefined
  domain: Pick<ListedSendingDomain, 'id' | 'domain_name' | 'is_ready' | 'check_is_current'> | undefined
  connection: Pick<ListedProviderConnection, 'name' | 'is_active' | 'connection_state'> | undefined
  isProductionGateOpen: boolean
  workspace: Pick<Workspace, 'is_archived' | 'production_sending_enabled'>
}

/** The eleven conditions of a schedule in the order of the specification. The service checks them again, with its own clock. */
export function conditionsOf(facts: ReadinessFacts): CheckedCondition[] {
  const { campaign, sender, domain, connection, scheduledFor, workspace } = facts
  const { draft } = campaign
  const audiences = draft.audience_ids.map((id) => facts.audiences.find((audience) => audience.id === id))
  const isAudienceMissing = audiences.length === 0 || audiences.some((audience) => audience?.is_archived !== false)
  const edit = `/campaigns/${campaign.id}/edit`
  const gate = facts.isProductionGateOpen ? 'The platform gate is open.' : 'The platform gate is closed.'
  const domainPage = domain ? `/domains/${domain.id}` : '/sending'
  return [
    {
      title: 'Your role may schedule campaigns',
      holds: facts.maySchedule,
      evidence: facts.maySchedule ? 'Yes.' : 'Ask an editor, a brand admin or an owner.',
    },
    {
      title: 'The time is in the future',
      holds: scheduledFor !== null && scheduledFor > facts.now,
      evidence: scheduledFor === null ? 'Choose a time.' : scheduledFor.toUTCString(),
    },
    { title: 'The campaign is a draft', holds: campaign.status === 'draft', evidence: `It is ${campaign.status}.` },
    {
      title: 'Its audiences and its template are in use',
      holds: !isAudienceMissing && !facts.isTemplateArchived,
      evidence: isAudienceMissing
        ? 'An audience is archived or was deleted.'
        : facts.isTemplateArchived
          ? 'The template is archived.'
          : audiences.map((audience) => audience!.name).join(', '),
      fixAt: edit,
    },
    {
      title: 'The sending domain is ready',
      holds: domain?.is_ready === true,
      evidence: domain?.domain_name ?? 'The sender or its domain does not exist any more.',
      fixAt: domainPage,
    },
    {
      title: 'This deployment allows production sending',
      holds: facts.isProductionGateOpen,
      evidence: facts.isProductionGateOpen ? gate : `${gate} Either its switch or the environment closes it.`,
    },
    { title: 'The platform switch of production sending is open', holds: facts.isProductionGateOpen, evidence: gate },
    {
      title: 'Sending is activated in this workspace',
      holds: workspace.production_sending_enabled && !workspace.is_archived,
      evidence: workspace.is_archived
        ? 'The workspace is archived.'
        : workspace.production_sending_enabled
          ? 'It is.'
          : 'It is not.',
      fixAt: '/sending',
    },
    {
      title: 'The provider connection is verified and active',
      holds: connection?.is_active === true && connection.connection_state === 'verified',
      evidence: connection
        ? `${connection.name} is ${connection.connection_state}${connection.is_active ? ' and active' : ', not active'}.`
        : 'The domain has no connection.',
      fixAt: '/sending',
    },
    {
      title: 'The domain passed its last check, and that is recent',
      holds: domain?.check_is_current === true,
      evidence: domain?.check_is_current ? 'It did.' : 'Check the domain again.',
      fixAt: domainPage,
    },
    {
      title: 'The sender is enabled',
      holds: sender?.is_enabled === true,
      evidence: sender ? `${sender.display_name} is ${sender.is_enabled ? '' : 'not '}enabled.` : 'It was deleted.',
      fixAt: '/sending',
    },
  ]
}
