import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ListedSendingDomainSchema } from '@lettergate/contracts/sending/v1/console'
import { kyselyOf, type Em } from '@lettergate/database'
import { ProviderConnection } from './provider-connection.entity.ts'
import { SenderIdentity } from './sender-identity.entity.ts'
import { SendingDomain } from './sending-domain.entity.ts'
import { moment } from '@lettergate/values/moment'
import { isCheckCurrent } from '../records/readiness.ts'

/** The domains of a workspace for the console, sorted by name, or only the one with the given id. */
export async function listedDomains(
  em: Em,
  workspaceId: string,
  { now, maxAgeHours, id }: { now: Date; maxAgeHours: number; id?: string | null },
): Promise<MessageInitShape<typeof ListedSendingDomainSchema>[]> {
  const all = kyselyOf(em, SendingDomain, ProviderConnection, SenderIdentity)
    .selectFrom('sending_domains as d')
    .leftJoin('provider_connections as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.provider_connection_id'),
    )
    .selectAll('d')
    .select('c.name as provider_connection_name')
    .select((eb) =>
      eb
        .selectFrom('sender_identities as s')
        .select(eb.fn.countAll<string>().as('count'))
        .whereRef('s.workspace_id', '=', 'd.workspace_id')
        .whereRef('s.sending_domain_id', '=', 'd.id')
        .as('senders'),
    )
    .where('d.workspace_id', '=', workspaceId)
    .orderBy('d.domain_name')
  const found = await (id == null ? all : all.where('d.id', '=', id)).execute()
  return found.map((domain) => ({
    id: domain.id,
    domainName: domain.domain_name,
    verificationState: domain.verification_state,
    spfState: domain.spf_state,
    dkimState: domain.dkim_state,
    dmarcState: domain.dmarc_state,
    alignmentState: domain.alignment_state,
    quotaState: domain.quota_state,
    isReady: domain.is_ready,
    webhooksRegistered: domain.webhooks_registered,
    checkIsCurrent: isCheckCurrent(
      {
        lastCheckPassed: domain.last_check_passed,
        checkedAt: domain.checked_at === null ? null : new Date(domain.checked_at),
      },
      now,
      maxAgeHours,
    ),
    checkedAt: moment(domain.checked_at),
    recheckAt: moment(domain.recheck_at),
    providerConnectionId: domain.provider_connection_id ?? undefined,
    providerConnectionName: domain.provider_connection_name ?? undefined,
    senderCount: Number(domain.senders),
    createdAt: moment(domain.created_at),
  }))
}
