import type { OpenImport } from '@lettergate/contracts/imports/v1/imports'
import type { GetGatesResponse, WorkspaceFacts } from '@lettergate/contracts/identity/v1/identity'
import type {
  ListedProviderConnection,
  ListedSenderIdentity,
  ListedSendingDomain,
} from '@lettergate/contracts/sending/v1/console'
import { isOutage } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { deliveryDurable } from '../delivery/queue.ts'
import type { ConsumerState } from '@lettergate/events/consumer-state'
import { readOwnFacts, type OwnFacts } from './own-facts.ts'

/** A connection. It is usable if it is verified and active, and its credential is in the environment of delivery. */
export type ConnectionFacts = Pick<
  ListedProviderConnection,
  'id' | 'connectionState' | 'isActive' | 'webhookSigningEnvKey'
> & { hasCredential: boolean; isUsable: boolean }
export type DomainFacts = Omit<ListedSendingDomain, '$typeName' | '$unknown' | 'senderCount'>
type SenderFacts = Pick<ListedSenderIdentity, 'id' | 'isEnabled' | 'domainName' | 'sendingDomainId'>

/** What a preflight reads. Undefined: the service that knows it did not answer. */
export interface PreflightFacts extends OwnFacts {
  readonly now: Date
  readonly gates: Pick<GetGatesResponse, 'ceilings' | 'switches'> | undefined
  readonly workspace: Pick<WorkspaceFacts, 'isArchived' | 'productionSendingEnabled'> | undefined
  readonly connections: readonly ConnectionFacts[] | undefined
  readonly domains: readonly DomainFacts[] | undefined
  readonly senders: readonly SenderFacts[] | undefined
  /** names of the signing keys of connections that webhook-intake has */
  readonly signingKeys: ReadonlySet<string> | undefined
  readonly oneClickUrl: string | undefined
  readonly openImports: readonly Pick<OpenImport, 'id' | 'status'>[] | undefined
  readonly queue: ConsumerState | undefined
  readonly providerEvents: ConsumerState | undefined
  readonly suppressions: readonly ConsumerState[] | undefined
}

/** Asks all services concurrently. Changes nothing anywhere. */
export async function readPreflightFacts(ctx: Ctx): Promise<PreflightFacts> {
  const { workspaceId } = ctx
  const connections = ifAnswered(ctx.sending.listProviderConnections(ctx, {})).then((answer) =>
    answer?.providerConnections.map((one) => connectionFacts(ctx, one)),
  )
  const [own, gates, workspace, domains, senders, signingKeys, prepared, imports, broker] = await Promise.all([
    ctx.tx((em) => readOwnFacts(em, workspaceId)),
    ifAnswered(ctx.identity.getGates(ctx, {})),
    ifAnswered(ctx.identity.getWorkspaceFacts(ctx, { workspaceId })),
    ifAnswered(ctx.sending.listSendingDomains(ctx, {})),
    ifAnswered(ctx.sending.listSenderIdentities(ctx, {})),
    connections.then((found) => knownSigningKeys(ctx, found ?? [])),
    ifAnswered(ctx.contacts.prepareRecipients(ctx, { recipients: [] })),
    ifAnswered(ctx.imports.listOpenImports(ctx, {})),
    brokerFacts(ctx),
  ])
  return {
    ...own,
    ...broker,
    now: ctx.now(),
    gates,
    workspace,
    connections: await connections,
    domains: domains?.sendingDomains,
    senders: senders?.senderIdentities,
    signingKeys,
    oneClickUrl: prepared?.linkBases?.oneClickUrl,
    openImports: imports?.imports,
  }
}

/** The answer, or undefined if the service cannot be reached. Other errors are errors of the request. */
const ifAnswered = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (isOutage(error)) return undefined
    throw error
  })

function connectionFacts(ctx: Ctx, connection: ListedProviderConnection): ConnectionFacts {
  const { id, connectionState, isActive, webhookSigningEnvKey, credentialEnvKey } = connection
  const hasCredential = ctx.config.credential(credentialEnvKey) !== undefined
  return {
    id,
    connectionState,
    isActive,
    ...(webhookSigningEnvKey === undefined ? {} : { webhookSigningEnvKey }),
    hasCredential,
    isUsable: isActive && connectionState === 'verified' && hasCredential,
  }
}

async function knownSigningKeys(
  ctx: Ctx,
  connections: readonly ConnectionFacts[],
): Promise<ReadonlySet<string> | undefined> {
  const envKeys = [...new Set(connections.flatMap(({ webhookSigningEnvKey: name }) => name ?? []))]
  if (envKeys.length === 0) return new Set()
  const answer = await ifAnswered(ctx.webhooks.describeSigningKeys(ctx, { envKeys }))
  return answer && new Set(answer.known)
}

async function brokerFacts(ctx: Ctx): Promise<Pick<PreflightFacts, 'queue' | 'providerEvents' | 'suppressions'>> {
  const consumerOf = (name: string) => ctx.consumerState('EVENTS', `campaigns-delivery__${name}`)
  const [queue, providerEvents, ...suppressions] = await Promise.all([
    ctx.consumerState(deliveryDurable.stream, deliveryDurable.name),
    consumerOf('on-provider-event-received'),
    consumerOf('on-suppression-added'),
    consumerOf('on-consent-withdrawn'),
  ])
  const heard = suppressions.filter((one) => one !== undefined)
  return { queue, providerEvents, suppressions: heard.length === suppressions.length ? heard : undefined }
}
