import { kyselyOf } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { requireDomain, SendingDomain } from '../db/sending-domain.entity.ts'
import { isPassing } from '../records/readiness.ts'
import { storeCheck, type CheckReply } from './store-check.ts'
import { observeDomain } from './observe-domain.ts'
import { allowedKeys } from '../connections/provider-keys.ts'
import { connectionOf, checkInputOf } from './subject.ts'

/**
 * Checks a domain and stores the result. Checks get a number when they begin. Of two concurrent checks, the later one sets the
 * states of the domain, and each stores its own evidence. It sends no email.
 */
export async function checkDomain(ctx: Ctx, domainId: string): Promise<CheckReply> {
  const { begun, observation } = await observe(ctx, domainId)
  return storeCheck(ctx, begun, observation)
}

/** The same, but an inconclusive check (the DNS did not answer) stores nothing. Answers whether the check was conclusive. */
export async function checkDomainIfConclusive(ctx: Ctx, domainId: string): Promise<boolean> {
  const { begun, observation } = await observe(ctx, domainId)
  if (observation.isConclusive) await storeCheck(ctx, begun, observation)
  return observation.isConclusive
}

async function observe(ctx: Ctx, domainId: string) {
  const begunAt = ctx.now()
  const isAllowedKey = await allowedKeys(ctx)
  const { subject, number } = await ctx.tx(async (em) => {
    const domain = await requireDomain(em, ctx.workspaceId, domainId)
    const connection = await connectionOf(em, ctx.workspaceId, domain)
    const begun = await kyselyOf(em, SendingDomain)
      .updateTable('sending_domains')
      .set((eb) => ({ checks_begun: eb('checks_begun', '+', '1') }))
      .where('workspace_id', '=', ctx.workspaceId)
      .where('id', '=', domain.id)
      .returning('checks_begun')
      .executeTakeFirstOrThrow()
    return { subject: checkInputOf(ctx, domain, connection, isAllowedKey), number: Number(begun.checks_begun) }
  })
  const observation = await observeDomain(ctx, subject)
  ctx.metrics.domainChecks.inc({ verdict: isPassing(observation.seen) ? 'passed' : 'failed' })
  return { begun: { domainId: subject.domainId, number, begunAt }, observation }
}
