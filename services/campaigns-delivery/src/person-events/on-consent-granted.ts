import { ConsentGrantedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { owePersonEvents } from './owe-person-events.ts'

/** Owes the campaign webhook that a person gave consent, if the workspace chose to get such events. */
export const onConsentGranted = consumer({
  name: 'on-consent-granted',
  from: 'contacts-consent',
  event: ConsentGrantedSchema,
  batch: 200,
  async handle(ctx: Ctx, events) {
    await ctx.tx(async (em) => {
      const given = await firstTime(em, events)
      await owePersonEvents(
        em,
        ctx.workspaceId,
        given.map(({ data, time: at }) => ({
          type: 'person.consent_changed',
          at,
          data: {
            contact_id: data.contactId,
            audience_id: data.audienceId,
            scope: 'audience',
            consent: 'granted',
            consent_event_id: data.consentEventId,
          },
        })),
      )
    })
  },
})
