import { kyselyOf } from '@lettergate/database'
import type { Ctx } from '../ctx.ts'
import { requireDomain, SendingDomain } from '../db/sending-domain.entity.ts'
import { isPassing } from '../domain/readiness.ts'
import { keepCheck, type CheckReply } from './keep-check.ts'
import { observeDomain } from './observe-domain.ts'
import { namableKeys } from './provider-keys.ts'
import { connectionOf, subjectOf } from './subject.ts'

/**
 * Looks at a domain and keeps what was seen. Checks are numbered when they begin: of two at the same time the one that
 * began later has the last word on the domain's states, while each keeps its own evidence. Sends no email.
 */
export async function checkDomain(ctx: Ctx, domainId: string): Promise<CheckReply> {
  const { begun, observation } = await look(ctx, domainId)
  return keepCheck(ctx, begun, observation)
}

/** The same, but what a silent DNS kept from being seen changes nothing: answers whether anything could be said. */
export async function checkDomainIfSeen(ctx: Ctx, domainId: string): Promise<boolean> {
  const { begun, observation } = await look(ctx, domainId)
  if (observation.isConclusive) await keepCheck(ctx, begun, observation)
  return observation.isConclusive
}

async function look(ctx: Ctx, domainId: string) {
  const begunAt = ctx.now()
  const mayName = await namableKeys(ctx)
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
    return { subject: subjectOf(ctx, domain, connection, mayName), number: Number(begun.checks_begun) }
  })
  const observation = await observeDomain(ctx, subject)
  ctx.measures.domainChecks.inc({ verdict: isPassing(observation.seen) ? 'passed' : 'failed' })
  return { begun: { domainId: subject.domainId, number, begunAt }, observation }
}
