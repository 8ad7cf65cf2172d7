import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { SendingDomainSchema } from '@lettergate/contracts/sending/v1/sending'
import { execute, row, sql, type Em } from '@lettergate/database'
import { missing } from '../domain/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { AlignmentState, QuotaState, RecordState } from '../domain/readiness.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'

export const SendingDomains = defineEntity({
  name: 'SendingDomain',
  tableName: 'sending_domains',
  properties: {
    id: p.uuid().primary(),
    workspaceId: p.uuid(),
    domainName: p.text(),
    providerConnectionId: p.uuid().nullable(),
    providerDomainReference: p.text().nullable(),
    providerRecords: p.json<readonly ProviderRecord[]>(),
    dkimSelector: p.text().nullable(),
    trackingDomain: p.text().nullable(),
    notes: p.text().nullable(),
    verificationState: p.text().$type<RecordState>().default('not_checked'),
    spfState: p.text().$type<RecordState>().default('not_checked'),
    dkimState: p.text().$type<RecordState>().default('not_checked'),
    dmarcState: p.text().$type<RecordState>().default('not_checked'),
    alignmentState: p.text().$type<AlignmentState>().default('not_checked'),
    quotaState: p.text().$type<QuotaState>().default('not_checked'),
    webhooksRegistered: p.boolean().default(false),
    // what ready means is in the schema, so that nothing can say otherwise
    isReady: p.boolean().generated('always').default(false),
    checksBegun: p.bigint('number').default(0),
    checkApplied: p.bigint('number').default(0),
    lastCheckPassed: p.boolean().default(false),
    lastCheckVerified: p.boolean().default(false),
    checkedAt: p.datetime().nullable(),
    recheckAt: p.datetime().nullable(),
    recheckFailures: p.integer().default(0),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type SendingDomain = InferEntity<typeof SendingDomains>

/** The domain of this workspace with that id, or the 404 that hides whether anybody else has it. */
export async function requireDomain(em: Em, workspaceId: string, id: string): Promise<SendingDomain> {
  const found = isUuid(id) ? await em.findOne(SendingDomains, { workspaceId, id }, { refresh: true }) : null
  if (!found) throw missing('sending domain')
  return found
}

/** Whether a domain is there; if so, nobody takes it away until the transaction ends. */
export async function keepDomain(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await row(
    em,
    sql`select 1 from sending_domains where workspace_id = ${workspaceId} and id = ${id} for key share`,
  )
  return found !== undefined
}

/** The domain of this workspace with that id, and no check or person changes it until the transaction ends. */
export async function lockDomain(em: Em, workspaceId: string, id: string): Promise<SendingDomain> {
  if (isUuid(id))
    await row(em, sql`select 1 from sending_domains where workspace_id = ${workspaceId} and id = ${id} for update`)
  return requireDomain(em, workspaceId, id)
}

/**
 * What was seen through a connection does not count any more, what is being seen now included: its domains show what they
 * showed, and may not send until the next passing check.
 */
export async function doubtChecks(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await execute(
    em,
    sql`update sending_domains set last_check_passed = false, last_check_verified = false, checks_begun = checks_begun + 1, check_applied = checks_begun + 1, recheck_at = null, recheck_failures = 0
         where workspace_id = ${workspaceId} and provider_connection_id = ${connectionId}`,
  )
}

/** Has the domains of a connection that were checked before checked again at once, by themselves. */
export async function recheckDomainsOf(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await execute(
    em,
    sql`update sending_domains set recheck_at = now() where workspace_id = ${workspaceId} and provider_connection_id = ${connectionId} and checked_at is not null`,
  )
}

export const domainReply = (domain: SendingDomain): MessageInitShape<typeof SendingDomainSchema> => ({
  id: domain.id,
  domainName: domain.domainName,
  verificationState: domain.verificationState,
  spfState: domain.spfState,
  dkimState: domain.dkimState,
  dmarcState: domain.dmarcState,
  alignmentState: domain.alignmentState,
  quotaState: domain.quotaState,
  isReady: domain.isReady,
})
