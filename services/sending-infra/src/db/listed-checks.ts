import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ListedDomainCheckSchema } from '@lettergate/contracts/sending/v1/console'
import { kyselyOf, type Em, type Row } from '@lettergate/database'
import { DomainCheck } from './domain-check.entity.ts'
import { moment } from '@lettergate/values/moment'

export type ListedCheckRow = Omit<Row<typeof DomainCheck>, 'workspace_id' | 'sending_domain_id'>

/** The checks of a domain with their evidence, newest first; only those before `before`, if it is given. */
export function checksOf(
  em: Em,
  workspaceId: string,
  { domainId, before, limit }: { domainId: string; before?: string | null; limit: number },
): Promise<ListedCheckRow[]> {
  const newest = kyselyOf(em, DomainCheck)
    .selectFrom('domain_checks')
    .select(['id', 'number', 'passed', 'is_ready', 'evidence', 'requested_by', 'checked_at'])
    .where('workspace_id', '=', workspaceId)
    .where('sending_domain_id', '=', domainId)
    .orderBy('number', 'desc')
    .limit(limit)
  return (before == null ? newest : newest.where('number', '<', before)).execute()
}

export const checkReply = (check: ListedCheckRow): MessageInitShape<typeof ListedDomainCheckSchema> => ({
  id: check.id,
  passed: check.passed,
  isReady: check.is_ready,
  requestedBy: check.requested_by,
  checkedAt: moment(check.checked_at),
  evidence: check.evidence,
})
