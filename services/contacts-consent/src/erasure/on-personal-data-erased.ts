import { PersonalDataErasedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, endAlert, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { completeErasure, holdErasure, keepPart, partsOf } from './erasure.entity.ts'
import { erasedByService, isCompleted } from './erasure-state.ts'
import { isUuid } from '@lettergate/values/uuid'

/** Adds up the reports of the services about an erasure, and completes it with the last one. Each service may only report for itself. */
export const onPersonalDataErased = consumer({
  name: 'on-personal-data-erased',
  from: '*',
  event: PersonalDataErasedSchema,
  async handle(ctx: Ctx, events) {
    const { workspaceId } = ctx
    await ctx.tx(async (em) => {
      for (const { source, data } of await firstTime(em, events)) {
        const { erasureId, service, part, parts, removed } = data
        if (service !== source) {
          ctx.metrics.erasureReportIgnored()
          ctx.log.warn({ source, erasure_id: erasureId }, 'a service reported for another service and was ignored')
          continue
        }
        if (!isUuid(erasureId) || !(await holdErasure(em, workspaceId, erasureId))) continue
        await keepPart(em, workspaceId, erasureId, { service, part, parts, removed })
        if (!isCompleted(erasedByService(await partsOf(em, workspaceId, erasureId)))) continue
        if ((await completeErasure(em, workspaceId, erasureId)) > 0) await endAlert(em, 'erasure_incomplete', erasureId)
      }
    })
  },
})
