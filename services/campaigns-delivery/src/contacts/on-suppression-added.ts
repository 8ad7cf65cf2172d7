import { timestampDate } from '@bufbuild/protobuf/wkt'
import { SuppressionAddedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { storeRefusals } from './store-refusals.ts'

/**
 * Stores suppressions, so that an older verdict about the contact is not used. A suppression with the reason `unsubscribe`
 * counts as a withdrawal like an unsubscribe by the recipient; other suppressions do not.
 */
export const onSuppressionAdded = consumer({
  name: 'on-suppression-added',
  from: 'contacts-consent',
  event: SuppressionAddedSchema,
  batch: 200,
  handle: (ctx: Ctx, events) =>
    storeRefusals(ctx, events, ({ data, time }) => {
      if (data.reason !== 'unsubscribe') return undefined
      return data.at === undefined ? time : timestampDate(data.at)
    }),
})
