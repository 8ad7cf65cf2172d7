import { TagAddedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { enrollByTrigger } from './enroll-by-trigger.ts'

/** Enrols contacts into the published automations with the trigger `tag_added`. */
export const onTagAdded = consumer({
  name: 'on-tag-added',
  from: 'contacts-consent',
  event: TagAddedSchema,
  batch: 200,
  takesTurns: true,
  handle: (ctx: Ctx, events) =>
    enrollByTrigger(ctx, {
      type: 'tag_added',
      events,
      firedBy: ({ data }) => ({ contactId: data.contactId, subjectId: data.tagId }),
    }),
})
