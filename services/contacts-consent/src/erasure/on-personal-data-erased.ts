import { PersonalDataErasedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { completeErasure, holdErasure, keepPart, partsOf } from './erasure.entity.ts'
import { erasedByService, isCompleted } from './erasure-state.ts'
import { isUuid } from '@lettergate/values/uuid'

/** Adds up what the services removed of a person, each speaking for itself, and completes the erasure with the last of them. */
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
          ctx.counted.erasureReportIgnored()
          ctx.log.warn({ source, erasure_id: erasureId }, 'a service spoke of the part of another and was ignored')
          continue
        }
        if (!isUuid(erasureId) || !(await holdErasure(em, workspaceId, erasureId))) continue
        await keepPart(em, workspaceId, erasureId, { service, part, parts, removed })
        if (isCompleted(erasedByService(await partsOf(em, workspaceId, erasureId))))
          await completeErasure(em, workspaceId, erasureId)
      }
    })
  },
})
