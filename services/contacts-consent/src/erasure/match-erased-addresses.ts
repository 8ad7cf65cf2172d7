import type {
  MatchErasedAddressesRequest,
  MatchErasedAddressesResponseSchema,
} from '@lettergate/contracts/contacts/v1/erasures'
import { Fault } from '@lettergate/fault'
import type { Reply } from '@lettergate/rpc'
import type { Ctx } from '../ctx.ts'
import { possibleHashes } from '../values/address-hash.ts'
import { bodyId, unknownReference } from '../values/ids.ts'
import { parseEmail } from '../values/normalized-email.ts'
import { Erasure } from './erasure.entity.ts'

const emailsMax = 1_000

/**
 * The addresses that match the keyed hash of this erasure. There is no match after the address was added again as a new
 * contact.
 */
export async function matchErasedAddresses(
  ctx: Ctx,
  req: MatchErasedAddressesRequest,
): Promise<Reply<typeof MatchErasedAddressesResponseSchema>> {
  const { workspaceId, config } = ctx
  if (req.emails.length > emailsMax)
    throw new Fault('invalid_argument', 'emails', `emails has more than ${emailsMax} entries.`)
  const erasureId = bodyId('erasure_id', req.erasureId)
  const kept = await ctx.tx((em) => em.findOne(Erasure, { workspaceId, id: erasureId }))
  if (!kept) throw unknownReference('erasure_id')
  const { addressHmac: hmac } = kept
  if (hmac == null) return { erased: [] }
  const isErased = (email: string) =>
    possibleHashes(config.erasureHashKeys, workspaceId, parseEmail(email).normalizedEmail).some((one) =>
      one.equals(hmac),
    )
  return { erased: req.emails.filter(isErased) }
}
