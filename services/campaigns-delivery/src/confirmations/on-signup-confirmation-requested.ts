import { timestampDate } from '@bufbuild/protobuf/wkt'
import { SignupConfirmationRequestedSchema } from '@lettergate/contracts/events/v1/events'
import { consumer, firstTime } from '@lettergate/events'
import type { Ctx } from '../ctx.ts'
import { ConfirmationEmail } from './confirmation-email.entity.ts'

/** Stores the email of each sign-up that waits for its confirmation, so that a worker sends it. */
export const onSignupConfirmationRequested = consumer({
  name: 'on-signup-confirmation-requested',
  from: 'contacts-consent',
  event: SignupConfirmationRequestedSchema,
  batch: 100,
  async handle(ctx: Ctx, events) {
    const { workspaceId } = ctx
    await ctx.tx(async (em) => {
      for (const { data, correlationId } of await firstTime(em, events)) {
        if (await em.findOne(ConfirmationEmail, { workspaceId, id: data.confirmationId })) continue
        await em.insert(ConfirmationEmail, {
          workspaceId,
          id: data.confirmationId,
          contactId: data.contactId,
          audienceId: data.audienceId,
          senderIdentityId: data.senderIdentityId,
          contentVersionId: data.contentVersionId,
          expiresAt: timestampDate(data.expiresAt!),
          correlationId,
        })
      }
    })
    ctx.wakeWorkers()
  },
})
