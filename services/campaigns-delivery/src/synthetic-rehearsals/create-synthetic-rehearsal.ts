import { sha256Of } from '@lettergate/canonical-json'
import type {
  CreateSyntheticRehearsalRequest,
  CreateSyntheticRehearsalResponseSchema,
} from '@lettergate/contracts/campaigns/v1/synthetic_rehearsals'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { newId, type Em } from '@lettergate/database'
import { publish } from '@lettergate/events'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import { carrier } from '@lettergate/service/tracing'
import type { Ctx } from '../ctx.ts'
import { gateState } from '../gates/gate-state.ts'
import { findByKey, takeKey } from '../idempotency/idempotency-key.entity.ts'
import { parseRehearsal, requireSyntheticGate, syntheticGate, type RehearsalRequest } from './rehearsal-request.ts'
import { requireSyntheticRehearsal, SyntheticRehearsal } from './synthetic-rehearsal.entity.ts'

/** Rehearsals of one workspace that may wait. One runs at a time. */
const unfinishedMax = 5

/**
 * Queues a rehearsal, once for each key. A repeat returns the original, also after the gate closed. A worker runs the
 * rehearsal.
 */
export async function createSyntheticRehearsal(
  ctx: Ctx,
  req: CreateSyntheticRehearsalRequest,
): Promise<Reply<typeof CreateSyntheticRehearsalResponseSchema>> {
  const { workspaceId } = ctx
  const request = parseRehearsal(req)
  const earlier = await ctx.tx((em) => findByKey(em, workspaceId, request))
  if (earlier === undefined) requireSyntheticGate(gateState(await ctx.identity.getGates(ctx, {}), syntheticGate))
  const { id, created } =
    earlier === undefined ? await ctx.tx((em) => queueRehearsal(em, ctx, request)) : { id: earlier, created: false }
  if (created) ctx.wakeWorkers()
  return { created, run: await ctx.tx((em) => requireSyntheticRehearsal(em, workspaceId, id)) }
}

async function queueRehearsal(em: Em, ctx: Ctx, request: RehearsalRequest): Promise<{ id: string; created: boolean }> {
  const { workspaceId, caller, config } = ctx
  const { recipientCount } = request
  const id = newId()
  if (!(await takeKey(em, workspaceId, { ...request, resourceId: id }))) {
    const winner = await findByKey(em, workspaceId, request)
    return { id: winner!, created: false }
  }
  const unfinished = await em.count(SyntheticRehearsal, { workspaceId, state: { $in: ['queued', 'running'] } })
  if (unfinished >= unfinishedMax) throw tooMany()
  await em.insert(SyntheticRehearsal, {
    workspaceId,
    id,
    recipientCount,
    targetSeconds: config.syntheticRehearsalTargetSeconds,
    requestedBy: caller.actor,
    correlationId: caller.correlationId,
    trace: carrier(),
    reportChecksum: sha256Of({}),
  })
  await publish(em, AuditRecordedSchema, {
    action: 'synthetic_rehearsal_requested',
    subjectType: 'synthetic_rehearsal',
    subjectId: id,
    actor: caller.actor,
    detail: { recipient_count: recipientCount },
  })
  return { id, created: true }
}

const tooMany = () =>
  new Fault(
    'failed_precondition',
    'synthetic_rehearsals_waiting',
    `This workspace has ${unfinishedMax} synthetic rehearsals that have not ended. One runs at a time. Try again when one has ended.`,
  )
