import { AudienceSubscribedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { enrollByTrigger } from './enroll-by-trigger.ts'

/** Enrols contacts into the published automations with the trigger `audience_subscribed`. */
export const onAudienceSubscribed = consumer({
  name: 'on-audience-subscribed',
  from: 'contacts-consent',
  event: AudienceSubscribedSchema,
  batch: 200,
  takesTurns: true,
  handle: (ctx: Ctx, events) =>
    enrollByTrigger(ctx, {
      type: 'audience_subscribed',
      events,
      firedBy: ({ data }) => ({ contactId: data.contactId, subjectId: data.audienceId }),
    }),
})
