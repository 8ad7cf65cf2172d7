import { defineEntity, LockMode, p, type InferEntity } from '@mikro-orm/core'
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { SendingDomainSchema } from '@lettergate/contracts/sending/v1/sending'
import { kyselyOf, sql, type Em } from '@lettergate/database'
import { missing } from '../domain/identifier.ts'
import { isUuid } from '@lettergate/values/uuid'
import type { AlignmentState, QuotaState, RecordState } from '../domain/readiness.ts'
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
    // what ready means is in the schema, so that nothing can say otherwise
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

/** The domain of this workspace with that id, or the 404 that hides whether anybody else has it. */
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

/** Whether a domain is there; if so, nobody takes it away until the transaction ends. */
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

/** The domain of this workspace with that id, and no check or person changes it until the transaction ends. */
export async function lockDomain(em: Em, workspaceId: string, id: string): Promise<SendingDomain> {
  return requireDomain(em, workspaceId, id, LockMode.PESSIMISTIC_WRITE)
}

/**
 * What was seen through a connection does not count any more, what is being seen now included: its domains show what they
 * showed, and may not send until the next passing check.
 */
export async function doubtChecks(em: Em, workspaceId: string, connectionId: string): Promise<void> {
  await kyselyOf(em, SendingDomain)
    .updateTable('sending_domains')
    .set(doubted)
    .where('workspace_id', '=', workspaceId)
    .where('provider_connection_id', '=', connectionId)
    .execute()
}

/** What a domain is set to whose checks do not count any more. */
export const doubted = {
  last_check_passed: false,
  last_check_verified: false,
  checks_begun: sql<string>`checks_begun + 1`,
  check_applied: sql<string>`checks_begun + 1`,
  recheck_at: null,
  recheck_failures: 0,
}

/** Has the domains of a connection that were checked before checked again at once, by themselves. */
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
