import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  CreateSendingDomainRequest,
  CreateSendingDomainResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { isUniqueViolation, newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { holdDomain } from '../db/domain-holder.entity.ts'
import { ProviderConnection, keepConnection, defaultConnection } from '../db/provider-connection.entity.ts'
import { SendingDomain, domainReply } from '../db/sending-domain.entity.ts'
import { parseDomainName, type DomainName } from './domain-name.ts'
import { unknownReference } from '../values/identifier.ts'
import { parseUuid } from '@lettergate/values/uuid'
import { parseNotes } from '../values/plain-text.ts'
import { obstacleFault } from '../provider/provider-problem.ts'
import { dkimRecordOf } from '../provider/mailgun/read-domain.ts'
import { allowedKeys } from '../connections/provider-keys.ts'
import { accountOf } from '../verification/subject.ts'

const alreadyAdded = (name: DomainName) =>
  new Fault('conflict', 'domain_name', `This workspace already has the sending domain ${name}.`)

const ownedByOther = (name: DomainName) =>
  new Fault(
    'conflict',
    'domain_name',
    `Another organization of this platform sends under ${name}. If it is your domain, ask the operators of the platform.`,
  )

async function chooseConnection(em: Em, workspaceId: string, given: string | undefined): Promise<ProviderConnection> {
  if (given !== undefined) {
    const id = parseUuid(given)
    const named = id === undefined ? null : await em.findOne(ProviderConnection, { workspaceId, id })
    if (!named) throw unknownReference('provider_connection_id', 'provider connection')
    return named
  }
  const chosen = await defaultConnection(em, workspaceId)
  if (!chosen)
    throw new Fault(
      'failed_precondition',
      'provider_connection',
      'This workspace has no provider connection. Create, check and activate one first.',
    )
  return chosen
}

/**
 * Adds a domain that exists at the provider, with the provider's DNS records and DKIM selector. It is not verified yet. The
 * first organization that adds a name owns it, for all of its workspaces; others get Fault `conflict`.
 */
export async function createSendingDomain(
  ctx: Ctx,
  req: CreateSendingDomainRequest,
): Promise<Reply<typeof CreateSendingDomainResponseSchema>> {
  const { workspaceId } = ctx
  const domainName = parseDomainName(req.domainName, 'domain_name')
  const trackingDomain =
    req.trackingDomain === undefined ? null : parseDomainName(req.trackingDomain, 'tracking_domain')
  const notes = parseNotes(req.notes)

  const connection = await ctx.tx(async (em) => {
    if (await em.findOne(SendingDomain, { workspaceId, domainName })) throw alreadyAdded(domainName)
    return chooseConnection(em, workspaceId, req.providerConnectionId)
  })
  const access = accountOf(ctx, connection, await allowedKeys(ctx))
  const answer = await ctx.provider.readDomain(access, domainName, ctx.signal)
  if (!answer.ok) throw obstacleFault(answer.problem)
  const { records, reference } = answer.value

  try {
    return await ctx.tx(async (em) => {
      if (!(await holdDomain(em, domainName, ctx.caller.organization ?? workspaceId))) throw ownedByOther(domainName)
      if (!(await keepConnection(em, workspaceId, connection.id)))
        throw unknownReference('provider_connection_id', 'provider connection')
      const domain = em.create(SendingDomain, {
        id: newId(),
        workspaceId,
        domainName,
        providerConnectionId: connection.id,
        providerDomainReference: reference,
        providerRecords: records,
        dkimSelector: dkimRecordOf(records)?.selector ?? null,
        trackingDomain,
        notes,
        createdBy: ctx.caller.actor,
      })
      await em.flush()
      await publish(em, AuditRecordedSchema, {
        action: 'sending_domain_created',
        subjectType: 'sending_domain',
        subjectId: domain.id,
        actor: ctx.caller.actor,
        detail: { domain_name: domainName, provider_connection_id: connection.id },
      })
      return { sendingDomain: domainReply(domain) }
    })
  } catch (error) {
    if (isUniqueViolation(error, 'sending_domains_name')) throw alreadyAdded(domainName)
    throw error
  }
}
