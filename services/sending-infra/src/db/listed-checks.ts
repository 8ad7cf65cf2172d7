import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { ListedDomainCheckSchema } from '@lettergate/contracts/sending/v1/console'
import { rows, sql, type Em } from '@lettergate/database'
import { moment } from '@lettergate/values/moment'

export interface ListedCheckRow {
  id: string
  number: string
  passed: boolean
  is_ready: boolean
  evidence: JsonObject
  requested_by: string
  checked_at: string
}

/** The checks of a domain, the newest first, with their evidence; those before the given one where one is given. */
export const checksOf = (
  em: Em,
  workspaceId: string,
  { domainId, before = null, limit }: { domainId: string; before?: string | null; limit: number },
): Promise<ListedCheckRow[]> =>
  rows<ListedCheckRow>(
    em,
    sql`select id, number, passed, is_ready, evidence, requested_by, checked_at from domain_checks
         where workspace_id = ${workspaceId} and sending_domain_id = ${domainId} and (${before}::bigint is null or number < ${before}::bigint)
         order by number desc limit ${limit}`,
  )

export const checkReply = (check: ListedCheckRow): MessageInitShape<typeof ListedDomainCheckSchema> => ({
  id: check.id,
  passed: check.passed,
  isReady: check.is_ready,
  requestedBy: check.requested_by,
  checkedAt: moment(check.checked_at),
  evidence: check.evidence,
})
