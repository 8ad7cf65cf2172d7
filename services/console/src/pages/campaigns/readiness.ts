import type { Workspace } from '@lettergate/client'
import type {
  CountedAudience,
  DetailedCampaign,
  Gate,
  ListedProviderConnection,
  ListedSenderIdentity,
  ListedSendingDomain,
} from '@lettergate/client/console'
import type { CheckedCondition } from '../../parts/conditions-list.tsx'
import { unknownInWords, unknownTags } from './unknown-tags.ts'

/** What the conditions of a schedule are decided from. */
export interface ReadinessFacts {
  campaign: Pick<DetailedCampaign, 'id' | 'status' | 'draft'>
  maySchedule: boolean
  scheduledFor: Date | null
  now: Date
  audiences: readonly Pick<CountedAudience, 'id' | 'name' | 'is_archived'>[]
  tags: readonly { name: string }[]
  isTemplateArchived: boolean
  sender: Pick<ListedSenderIdentity, 'display_name' | 'is_enabled' | 'sending_domain_id'> | undefined
  domain: Pick<ListedSendingDomain, 'id' | 'domain_name' | 'is_ready' | 'check_is_current'> | undefined
  connection: Pick<ListedProviderConnection, 'name' | 'is_active' | 'connection_state'> | undefined
  isProductionGateOpen: boolean
  /** unknown to who does not administer the platform */
  productionGate: Pick<Gate, 'ceiling' | 'stored'> | undefined
  workspace: Pick<Workspace, 'is_archived' | 'production_sending_enabled'>
}

/** The eleven conditions of a schedule in the order of the specification. The service checks them again, with its own clock. */
export function conditionsOf(facts: ReadinessFacts): CheckedCondition[] {
  const { campaign, sender, domain, connection, scheduledFor, workspace } = facts
  const { draft } = campaign
  const audiences = draft.audience_ids.map((id) => facts.audiences.find((audience) => audience.id === id))
  const isAudienceMissing = audiences.length === 0 || audiences.some((audience) => audience?.is_archived !== false)
  const unknown = unknownTags(draft.tag_filter, facts.tags)
  const edit = `/campaigns/${campaign.id}/edit`
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
      evidence: scheduledFor ?? 'Choose a time.',
    },
    { title: 'The campaign is a draft', holds: campaign.status === 'draft', evidence: `It is ${campaign.status}.` },
    {
      title: 'Its audiences, its tags and its template are in use',
      holds: !isAudienceMissing && unknown.length === 0 && !facts.isTemplateArchived,
      evidence: isAudienceMissing
        ? 'An audience is archived or was deleted.'
        : unknown.length > 0
          ? `${unknownInWords(unknown)}: ${unknown.length === 1 ? 'it' : 'they'} may have been renamed, merged or deleted.`
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
    ...gateConditions(facts),
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

/** The gate for production sending is its ceiling and its switch. Who does not administer the platform knows only both together. */
function gateConditions({ isProductionGateOpen, productionGate }: ReadinessFacts): CheckedCondition[] {
  const [ceiling, stored] = productionGate
    ? [productionGate.ceiling !== false, productionGate.stored]
    : [isProductionGateOpen || null, isProductionGateOpen || null]
  const unknown =
    'The platform gate is closed, by this or by the other one. An administrator of the platform sees which.'
  return [
    {
      title: 'This deployment allows production sending',
      holds: ceiling,
      evidence: ceiling
        ? 'It does.'
        : ceiling === null
          ? unknown
          : 'Its environment does not: set ALLOW_PRODUCTION_SENDING_ACTIVATION.',
    },
    {
      title: 'The platform switch of production sending is open',
      holds: stored,
      evidence: stored ? 'It is.' : stored === null ? unknown : 'It is closed.',
      ...(stored === false && { fixAt: '~/console/platform/gates' }),
    },
  ]
}

/** How many conditions are missing at least: of those that the user cannot know, one. */
export const missingOf = (conditions: readonly CheckedCondition[]): number =>
  conditions.filter(({ holds }) => holds === false).length + Number(conditions.some(({ holds }) => holds === null))
