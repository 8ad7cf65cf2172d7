import { defineEntity, LockMode, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { DomainCheckedSchema } from '@lettergate/contracts/events/v1/events'
import type { SendingDomainSchema } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { missing } from '../values/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { AlignmentState, QuotaState, RecordState } from '../records/readiness.ts'
import type { ProviderRecord } from '../provider/mailgun/shapes.ts'

export const SendingDomain = defineEntity({
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
    // a generated column, so that the schema alone defines readiness
    isReady: p.boolean().generated('always').default(false),
    checksBegun: p.bigint().default(0),
    checkApplied: p.bigint().default(0),
    lastCheckPassed: p.boolean().default(false),
    lastCheckVerified: p.boolean().default(false),
    checkedAt: p.datetime().nullable(),
    recheckAt: p.datetime().nullable(),
    recheckFailures: p.integer().default(0),
    createdBy: p.text(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
})

export type SendingDomain = InferEntity<typeof SendingDomain>

/** The domain of this workspace with this id. Throws the same 404 for an unknown id and for another tenant's domain. */
export async function requireDomain(
  em: Em,
  workspaceId: string,
  id: string,
  lockMode = LockMode.NONE,
): Promise<SendingDomain> {
  const found = isUuid(id) ? await em.findOne(SendingDomain, { workspaceId, id }, { refresh: true, lockMode }) : null
  if (!found) throw missing('sending domain')
  return found
}

/** Whether a domain exists. If so, it cannot be deleted until the transaction ends. */
export async function keepDomain(em: Em, workspaceId: string, id: string): Promise<boolean> {
  const found = await kyselyOf(em, SendingDomain)
    .selectFrom('sending_domains')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return found !== undefined
}

/** The domain of this workspace with this id, locked against changes until the transaction ends. */
export async function lockDomain(em: Em, workspaceId: string, id: string): Promise<SendingDomain> {
  return requireDomain(em, workspaceId, id, LockMode.PESSIMISTIC_WRITE)
}

/**
 * Invalidates all checks through a connection, including checks in progress. The states of its domains stay visible, but the
 * domains may not send until the next passing check.
 */
export async function invalidateChecks(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await kyselyOf(em, SendingDomain)
    .updateTable('sending_domains')
    .set(invalidated)
    .where('workspace_id', '=', workspaceId)
    .where('provider_connection_id', '=', connectionId)
    .execute()
}

/** Announces a change of a connection to delivery, which then asks again whether the senders of its domains may send. */
export async function announceDomainsOf(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  const domains = await kyselyOf(em, SendingDomain)
    .selectFrom('sending_domains')
    .select(['id', 'is_ready'])
    .where('workspace_id', '=', workspaceId)
    .where('provider_connection_id', '=', connectionId)
    .execute()
  for (const { id, is_ready: isReady } of domains)
    await publish(em, DomainCheckedSchema, { sendingDomainId: id, isReady })
}

/** The column values of a domain with invalidated checks. */
export const invalidated = {
  last_check_passed: false,
  last_check_verified: false,
  checks_begun: sql<string>`checks_begun + 1`,
  check_applied: sql<string>`checks_begun + 1`,
  recheck_at: null,
  recheck_failures: 0,
}

/** Schedules an immediate check of the connection's domains that were checked before. */
export async function recheckDomainsOf(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await kyselyOf(em, SendingDomain)
    .updateTable('sending_domains')
    .set({ recheck_at: sql`now()` })
    .where('workspace_id', '=', workspaceId)
    .where('provider_connection_id', '=', connectionId)
    .where('checked_at', 'is not', null)
    .execute()
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
