import { LRUCache } from 'lru-cache'
import { AuditRecordedSchema } from '@lettergate/contracts/events/v1/events'
import { publishFrom } from '@lettergate/events'
import type { CallScope, Service } from '@lettergate/service'
import { carrier } from '@lettergate/service/tracing'
import { isUuid } from '@lettergate/values/uuid'
import type { Ctx } from '../ctx.ts'
import { isAudited, type Refusals } from '../engine/refusals.ts'

/** A caller that repeats a refused request adds one entry in this time. */
const onceInMs = 60_000
const rememberedMax = 10_000

/** Writes refusals to the audit log; the same one of a caller at most once a minute. */
export function auditRefusals(service: Service, ctxOf: (scope: CallScope) => Ctx): Refusals {
  const recorded = new LRUCache<string, true>({ max: rememberedMax, ttl: onceInMs })
  return async (plan, scope, params, error) => {
    if (!isAudited(plan, error)) return
    const { caller } = scope
    const key = [caller.actor, caller.workspaceId, plan.operationId, error.reason].join(' ')
    if (recorded.has(key)) return
    recorded.set(key, true)
    const ids = Object.entries(params).filter(([, value]) => isUuid(value))
    const origin = { workspaceId: caller.workspaceId, correlationId: caller.correlationId, trace: carrier() }
    const init = {
      action: 'operation_refused',
      subjectType: 'operation',
      subjectId: plan.operationId,
      actor: caller.actor,
      detail: { reason: error.reason, code: error.code, ...Object.fromEntries(ids) },
    }
    try {
      const ctx = ctxOf(scope)
      await ctx.acrossWorkspaces(caller).tx((em) => publishFrom(em, AuditRecordedSchema, [{ origin, init }]))
    } catch (failure) {
      recorded.delete(key)
      service.log.error(
        { err: failure, operation: plan.operationId, correlation_id: caller.correlationId },
        'a refusal could not be recorded in the audit log',
      )
    }
  }
}
