import { ConsentWithdrawnSchema } from '@lettergate/contracts/events/v1/events'
import { consumer } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { storeRefusals } from './store-refusals.ts'

/**
 * Stores consent withdrawals. Recipients who withdrew are asked about again before they are sent to, and reports attribute
 * unsubscribes to the run.
 */
export const onConsentWithdrawn = consumer({
  name: 'on-consent-withdrawn',
  from: 'contacts-consent',
  event: ConsentWithdrawnSchema,
  batch: 200,
  handle: (ctx: Ctx, events) =>
    storeRefusals(
      ctx,
      events,
      ({ time }) => time,
      ({ data, time: at }) => {
        const about = { contact_id: data.contactId, audience_id: data.audienceId ?? null, scope: data.scope }
        return [
          { type: 'person.unsubscribed', at, data: about },
          { type: 'person.consent_changed', at, data: { ...about, consent: 'withdrawn' } },
        ]
      },
    ),
})
