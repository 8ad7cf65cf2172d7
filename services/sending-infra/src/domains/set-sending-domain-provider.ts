import { AuditRecordedSchema, DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import type {
  SetSendingDomainProviderRequest,
  SetSendingDomainProviderResponseSchema,
} from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf } from '@lettergate/database'
import { publish } from '@lettergate/events'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { keepConnection } from '../db/provider-connection.entity.ts'
import { invalidated, domainReply, lockDomain, requireDomain, SendingDomain } from '../db/sending-domain.entity.ts'
import { parseDkimSelector } from './dkim-selector.ts'
import { unknownReference } from '../values/identifier.ts'
import { parseUuid } from '@lettergate/values/uuid'
import { parseLine } from '../values/plain-text.ts'

/**
 * Binds a domain to a connection and to the DKIM selector of the provider. A new connection or selector resets all checked
 * states; a new connection also resets the approved quota. It makes no call to the provider: the next check uses the new
 * connection. Safe to repeat.
 */
export async function setSendingDomainProvider(
  ctx: Ctx,
  req: SetSendingDomainProviderRequest,
): Promise<Reply<typeof SetSendingDomainProviderResponseSchema>> {
  const { workspaceId } = ctx
  const connectionId = parseUuid(req.providerConnectionId)
  return ctx.tx(async (em) => {
    const before = await lockDomain(em, workspaceId, req.domainId)
    const selector = parseDkimSelector(req.dkimSelector, before.domainName)
    const reference =
      req.providerDomainReference === undefined
        ? null
        : parseLine(req.providerDomainReference, 'provider_domain_reference', 500)
    if (connectionId === undefined || !(await keepConnection(em, workspaceId, connectionId)))
      throw unknownReference('provider_connection_id', 'provider connection')

    const isMoved = before.providerConnectionId !== connectionId
    if (isMoved || before.dkimSelector !== selector || (before.providerDomainReference ?? null) !== reference) {
      await em.nativeUpdate(
        SendingDomain,
        { workspaceId, id: before.id },
        { providerConnectionId: connectionId, dkimSelector: selector, providerDomainReference: reference },
      )
      await publish(em, AuditRecordedSchema, {
        action: 'sending_domain_provider_set',
        subjectType: 'sending_domain',
        subjectId: before.id,
        actor: ctx.caller.actor,
        detail: { provider_connection_id: connectionId, dkim_selector: selector, provider_domain_reference: reference },
      })
    }
    if (isMoved || before.dkimSelector !== selector) {
      await kyselyOf(em, SendingDomain)
        .updateTable('sending_domains')
        .set({
          verification_state: 'not_checked',
          spf_state: 'not_checked',
          dkim_state: 'not_checked',
          dmarc_state: 'not_checked',
          alignment_state: 'not_checked',
          ...(isMoved ? { quota_state: 'not_checked' } : {}),
          webhooks_registered: false,
          ...invalidated,
        })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', before.id)
        .execute()
      if (before.isReady) await publish(em, DomainCheckedSchema, { sendingDomainId: before.id, isReady: false })
    }
    return { sendingDomain: domainReply(await requireDomain(em, workspaceId, before.id)) }
  })
}
