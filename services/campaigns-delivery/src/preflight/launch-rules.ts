import { productionGate } from '../gates/gate-state.ts'
import type { DomainFacts, PreflightFacts } from './preflight-facts.ts'
import { unread, type CheckResult, type Rule } from './rule.ts'

/** What a launch needs. Without one of these nothing can be sent, so each blocks. */
export const launchRules: readonly Rule[] = [
  { code: 'production_ceiling', label: 'Production ceiling', otherwise: 'block', find: productionCeiling },
  { code: 'production_switch', label: 'Production switch', otherwise: 'block', find: productionSwitch },
  { code: 'workspace_sending', label: 'Sending of the workspace', otherwise: 'block', find: workspaceSending },
  { code: 'workspace_active', label: 'Active workspace', otherwise: 'block', find: workspaceActive },
  { code: 'provider_connection', label: 'Provider connection', otherwise: 'block', find: providerConnection },
  { code: 'webhook_signing_key', label: 'Webhook signing key', otherwise: 'block', find: webhookSigningKey },
  { code: 'domain_readiness', label: 'Domain readiness', otherwise: 'block', find: domainReadiness },
  { code: 'webhook_registration', label: 'Webhook registration', otherwise: 'block', find: webhookRegistration },
  { code: 'sender_enabled', label: 'Enabled sender', otherwise: 'block', find: senderEnabled },
]

function productionCeiling({ gates }: PreflightFacts): CheckResult {
  if (!gates) return unread('gateway')
  const ceiling = gates.ceilings[productionGate] === true
  return {
    holds: ceiling,
    detail: ceiling
      ? 'The environment of the deployment allows production sending.'
      : 'The environment of the deployment does not allow production sending.',
    evidence: { variable: 'ALLOW_PRODUCTION_SENDING_ACTIVATION', ceiling },
    remediation: 'Ask the operator of the deployment to set ALLOW_PRODUCTION_SENDING_ACTIVATION to true.',
  }
}

function productionSwitch({ gates }: PreflightFacts): CheckResult {
  if (!gates) return unread('gateway')
  const stored = gates.switches[productionGate] === true
  return {
    holds: stored,
    detail: `The platform gate for production sending is ${stored ? 'open' : 'closed'}.`,
    evidence: { gate: productionGate, stored },
    remediation: 'Ask a platform owner or administrator to open the gate at the console.',
  }
}

function workspaceSending({ workspace }: PreflightFacts): CheckResult {
  if (!workspace) return unread('gateway')
  const isEnabled = workspace.productionSendingEnabled
  return {
    holds: isEnabled,
    detail: `Production sending of this workspace is ${isEnabled ? 'activated' : 'not activated'}.`,
    evidence: { production_sending_enabled: isEnabled },
    remediation: 'Activate sending for the workspace. This needs a workspace owner.',
  }
}

function workspaceActive({ workspace }: PreflightFacts): CheckResult {
  if (!workspace) return unread('gateway')
  return {
    holds: !workspace.isArchived,
    detail: workspace.isArchived ? 'The workspace is archived.' : 'The workspace is not archived.',
    evidence: { is_archived: workspace.isArchived },
    remediation: 'Nothing is sent from an archived workspace. Use another workspace.',
  }
}

function providerConnection({ connections }: PreflightFacts): CheckResult {
  if (!connections) return unread('sending-infra')
  const usable = connections.filter(({ isUsable }) => isUsable)
  return {
    holds: usable.length > 0,
    detail:
      connections.length === 0
        ? 'The workspace has no provider connection.'
        : `${usable.length} of ${connections.length} provider connections are verified, active and have a credential.`,
    evidence: {
      connections: connections.map(({ id, connectionState, isActive, hasCredential }) => ({
        id,
        connection_state: connectionState,
        is_active: isActive,
        has_credential: hasCredential,
      })),
    },
    remediation:
      'Create a provider connection, check it and activate it. The environment must contain the credential that it names.',
  }
}

function webhookSigningKey({ connections, signingKeys }: PreflightFacts): CheckResult {
  if (!connections) return unread('sending-infra')
  if (!signingKeys) return unread('webhook-intake')
  const active = connections.filter(({ isActive }) => isActive)
  const isSet = (name: string | undefined) => name !== undefined && signingKeys.has(name)
  const without = active.filter(({ webhookSigningEnvKey: name }) => !isSet(name))
  return {
    holds: active.length > 0 && without.length === 0,
    detail:
      active.length === 0
        ? 'No active provider connection needs a webhook signing key yet.'
        : `${active.length - without.length} of ${active.length} active connections have a webhook signing key that webhook-intake knows.`,
    evidence: {
      connections: active.map(({ id, webhookSigningEnvKey: name }) => ({
        id,
        webhook_signing_env_key: name ?? null,
        is_set: isSet(name),
      })),
    },
    remediation:
      'Name the webhook signing key of each active connection, and set the variable of that name, 16 bytes or longer, for webhook-intake.',
  }
}

const isInOrder = (domain: DomainFacts) =>
  domain.verificationState === 'verified' &&
  domain.spfState === 'verified' &&
  domain.dkimState === 'verified' &&
  domain.dmarcState === 'verified' &&
  domain.alignmentState === 'aligned' &&
  domain.quotaState === 'approved' &&
  domain.checkIsCurrent

function domainReadiness({ domains }: PreflightFacts): CheckResult {
  if (!domains) return unread('sending-infra')
  const ready = domains.filter(isInOrder)
  return {
    holds: ready.length > 0,
    detail:
      domains.length === 0
        ? 'The workspace has no sending domain.'
        : `${ready.length} of ${domains.length} sending domains pass every check, and the check is recent.`,
    evidence: {
      domains: domains.map((domain) => ({
        domain_name: domain.domainName,
        verification_state: domain.verificationState,
        spf_state: domain.spfState,
        dkim_state: domain.dkimState,
        dmarc_state: domain.dmarcState,
        alignment_state: domain.alignmentState,
        quota_state: domain.quotaState,
        check_is_current: domain.checkIsCurrent,
      })),
    },
    remediation: 'Verify the sending domain, and correct the records that the verification lists.',
  }
}

function webhookRegistration({ domains }: PreflightFacts): CheckResult {
  if (!domains) return unread('sending-infra')
  const relevant = domains.some(isInOrder) ? domains.filter(isInOrder) : domains
  const registered = relevant.filter(({ webhooksRegistered }) => webhooksRegistered)
  return {
    holds: registered.length > 0,
    detail: `The provider posts all eight events of ${registered.length} of ${relevant.length} sending domains to this workspace.`,
    evidence: {
      domains: relevant.map(({ domainName, webhooksRegistered }) => ({
        domain_name: domainName,
        webhooks_registered: webhooksRegistered,
      })),
    },
    remediation: 'Register the webhooks of the sending domain, and verify it again.',
  }
}

/** Looks at the whole path of a sender, so that it passes only if one sender can really send. */
function senderEnabled({ senders, domains, connections }: PreflightFacts): CheckResult {
  if (!senders || !domains || !connections) return unread('sending-infra')
  const usable = new Set(connections.filter(({ isUsable }) => isUsable).map(({ id }) => id))
  const sendable = new Set(
    domains
      .filter((domain) => domain.isReady && domain.checkIsCurrent && usable.has(domain.providerConnectionId ?? ''))
      .map(({ id }) => id),
  )
  const ready = senders.filter(({ isEnabled, sendingDomainId }) => isEnabled && sendable.has(sendingDomainId))
  return {
    holds: ready.length > 0,
    detail: `${ready.length} of ${senders.length} sender identities are enabled, on a ready domain, through a usable connection.`,
    evidence: {
      sender_identities: senders.map(({ id, isEnabled, domainName, sendingDomainId }) => ({
        id,
        is_enabled: isEnabled,
        domain_name: domainName,
        domain_can_send: sendable.has(sendingDomainId),
      })),
    },
    remediation: 'Create a sender identity on a ready domain and activate it. This needs a workspace owner.',
  }
}
