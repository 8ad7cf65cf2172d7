import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { WorkspaceChangedSchema } from '@lettergate/contracts/events/v1/events'
import { newId } from '@lettergate/database'
import type { CallScope } from '@lettergate/service'
import { until } from '@lettergate/stage'
import type { DeliveryStage } from './delivery-stage.ts'

/** A workspace, a connection, and a sender with its own domain: the route of a run. */
export interface TestRoute {
  us: CallScope
  connectionId: string
  senderId: string
  domainName: string
}

/** Creates another workspace of the same organization that may send. */
export async function anotherWorkspace({ stage }: DeliveryStage, slug: string): Promise<CallScope> {
  const workspaceId = newId()
  await stage.query(
    `insert into identity.workspaces (id, organization_id, slug, name, production_sending_enabled)
     select $1, id, $2, $2, true from identity.organizations where slug = 'acme'`,
    [workspaceId, slug],
  )
  await stage.publish(
    'gateway',
    WorkspaceChangedSchema,
    {
      workspaceId,
      organization: 'acme',
      workspace: slug,
      name: slug,
      isArchived: false,
      productionSendingEnabled: true,
    },
    { workspaceId },
  )
  await until(
    async () =>
      (await stage.query('select 1 from contacts.workspaces where workspace_id = $1', [workspaceId])).length > 0,
  )
  return stage.caller({ workspaceId, organization: 'acme', workspace: slug })
}

/** Creates a ready sender on a new domain, with its own connection unless one is given. */
export async function newRoute(
  { sim, sending }: DeliveryStage,
  us: CallScope,
  domainName: string,
  onConnection?: string,
): Promise<TestRoute> {
  await sim('PUT', `/domains/${domainName}`, {})
  const connectionId = onConnection ?? (await newConnection(sending, us, domainName))
  const { sendingDomain } = await sending.createSendingDomain(us, { domainName, providerConnectionId: connectionId })
  const domainId = sendingDomain!.id
  await sending.setSendingDomainReadiness(us, { domainId, quotaState: 'approved' })
  await sending.registerSendingDomainWebhooks(us, { domainId })
  const { senderIdentity } = await sending.createSenderIdentity(us, {
    sendingDomainId: domainId,
    displayName: domainName,
    fromAddress: `news@${domainName}`,
    replyTo: 'hello@acme.test',
  })
  const senderId = senderIdentity!.id
  await sending.activateSenderIdentity(us, { senderId, confirmation: 'ACTIVATE PRODUCTION SENDING' })
  return { us, connectionId, senderId, domainName }
}

async function newConnection(sending: DeliveryStage['sending'], us: CallScope, name: string): Promise<string> {
  const { providerConnection } = await sending.createProviderConnection(us, {
    name,
    credentialEnvKey: 'MAILPROVIDER_API_KEY',
  })
  const connectionId = providerConnection!.id
  await sending.checkProviderConnection(us, { connectionId })
  await sending.activateProviderConnection(us, { connectionId, confirmation: 'ENABLE TEST CONNECTION' })
  return connectionId
}

let counter = 0

/** Schedules a run to this many recipients over a route, each in its own call if `campaigns` uses batches of one. Returns its id. */
export async function scheduleThrough(...route: Parameters<typeof prepareThrough>): Promise<string> {
  const runId = await prepareThrough(...route)
  await route[0].begin(runId)
  return runId
}

/** The same for a run that does not begin by itself. */
export async function prepareThrough(
  { contacts }: DeliveryStage,
  campaigns: DeliveryStage['campaigns'],
  { us, senderId }: TestRoute,
  people: number,
): Promise<string> {
  counter += 1
  const name = `through-${counter}`
  const { audience } = await contacts.createAudience(us, {
    name,
    slug: name,
    purpose: 'newsletter',
    minimumIntervalSeconds: 0,
  })
  const audienceId = audience!.id
  await Promise.all(
    Array.from({ length: people }, async (_, n) => {
      const { contact } = await contacts.upsertContact(us, { email: `${name}-${n}@example.org`, source: 'test' })
      await contacts.subscribeContact(us, { contactId: contact!.id, audienceId, source: 'form', wordingVersion: 'v1' })
    }),
  )
  const { emailTemplate } = await campaigns.createEmailTemplate(us, { name, slug: name })
  const { contentVersion } = await campaigns.createContentVersion(us, {
    templateId: emailTemplate!.id,
    subject: name,
    html: '<p>Hello, <a href="{{ unsubscribe_url }}">leave</a></p>',
  })
  const { campaign } = await campaigns.createCampaignDraft(us, {
    name,
    audienceId,
    senderIdentityId: senderId,
    contentVersionId: contentVersion!.id,
  })
  const { campaignRun } = await campaigns.scheduleCampaign(us, {
    campaignId: campaign!.id,
    scheduledFor: timestampFromDate(new Date(Date.now() + 3_600_000)),
    idempotencyKey: newId(),
  })
  return campaignRun!.id
}
