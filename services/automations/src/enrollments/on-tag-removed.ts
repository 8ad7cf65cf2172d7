import { TagRemovedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { enrollByTrigger } from './enroll-by-trigger.ts'

/** Enrols contacts into the published automations with the trigger `tag_removed`. */
export const onTagRemoved = consumer({
  name: 'on-tag-removed',
  from: 'contacts-consent',
  event: TagRemovedSchema,
  batch: 200,
  takesTurns: true,
  handle: (ctx: Ctx, events) =>
    enrollByTrigger(ctx, {
      type: 'tag_removed',
      events,
      firedBy: ({ data }) => ({ contactId: data.contactId, subjectId: data.tagId }),
    }),
})
