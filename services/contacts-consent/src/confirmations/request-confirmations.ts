import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { SignupConfirmationRequestedSchema } from '@lettergate/contracts/events/v1/events'
import type { Em } from '@lettergate/database'
import { publishAll } from '@lettergate/events'
import { insertConfirmations, type NewConfirmation } from './signup-confirmation.entity.ts'

/** A sign-up to confirm, with the email of its source. */
export interface RequestedConfirmation extends NewConfirmation {
  senderIdentityId: string
  contentVersionId: string
}

/** Stores the confirmations of sign-ups and asks for one email each. See `insertConfirmations` for those that get none. */
export async function requestConfirmations(
  em: Em,
  workspaceId: string,
  requested: readonly RequestedConfirmation[],
): Promise<void> {
  if (requested.length === 0) return
  const stored = await insertConfirmations(em, workspaceId, requested)
  const expiryOf = new Map(stored.map((one) => [one.id, new Date(one.expires_at)]))
  await publishAll(
    em,
    SignupConfirmationRequestedSchema,
    requested.flatMap(({ id, contactId, audienceId, senderIdentityId, contentVersionId }) => {
      const expiresAt = expiryOf.get(id)
      if (!expiresAt) return []
      return [
        {
          confirmationId: id,
          contactId,
          audienceId,
          senderIdentityId,
          contentVersionId,
          expiresAt: timestampFromDate(expiresAt),
        },
      ]
    }),
  )
}
