import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ListedSendingDomainSchema } from '@lettergate/contracts/sending/v1/console'
import { rows, sql, type Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'
import { isCheckCurrent, type AlignmentState, type QuotaState, type RecordState } from '../domain/readiness.ts'

interface ListedDomainRow {
  id: string
  domain_name: string
  verification_state: RecordState
  spf_state: RecordState
  dkim_state: RecordState
  dmarc_state: RecordState
  alignment_state: AlignmentState
  quota_state: QuotaState
  is_ready: boolean
  webhooks_registered: boolean
  last_check_passed: boolean
  checked_at: string | null
  recheck_at: string | null
  provider_connection_id: string | null
  provider_connection_name: string | null
  sender_count: number
  created_at: string
}

/** The domains of a workspace as the console lists them, by name; one of them when its id is given. */
export async function listedDomains(
  em: Em,
  workspaceId: string,
  { now, maxAgeHours, id = null }: { now: Date; maxAgeHours: number; id?: string | null },
): Promise<MessageInitShape<typeof ListedSendingDomainSchema>[]> {
  const found = await rows<ListedDomainRow>(
    em,
    sql`select d.*, c.name as provider_connection_name,
               (select count(*)::int from sender_identities s where s.workspace_id = d.workspace_id and s.sending_domain_id = d.id) as sender_count
          from sending_domains d left join provider_connections c on c.workspace_id = d.workspace_id and c.id = d.provider_connection_id
         where d.workspace_id = ${workspaceId} and (${id}::uuid is null or d.id = ${id}::uuid) order by d.domain_name`,
  )
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
    senderCount: domain.sender_count,
    createdAt: moment(domain.created_at),
  }))
}
