import type { PresentedCredential } from '@lettergate/contracts/contacts/v1/subscription_sources'
import { Fault } from '@lettergate/fault'
import type { Ctx } from '../ctx.ts'
import { findPresented, presentedIn, type PresentedSourceRow } from './subscription-source.entity.ts'
import { refusalOf, type Admission, type Presented, type SourcePermission } from './source-admission.ts'

/** The credential from the gateway. A missing one is refused like an unknown one. */
export const presentedOf = (presented: PresentedCredential | undefined): Presented => ({
  credentialSha256: presented?.credentialSha256 ?? null,
  grantedSourceId: presented?.grantedSourceId ?? null,
  permissions: presented?.permissions ?? [],
})

export function parsePermission(given: string): SourcePermission {
  if (given === 'events.write' || given === 'audiences.read') return given
  throw new Fault('invalid_argument', 'permission', 'permission must be events.write or audiences.read.')
}

/**
 * Admits a source or throws Fault `unauthenticated`, `not_found` or `permission_denied`. It searches all workspaces, because a
 * credential does not contain its workspace.
 */
export async function requireAdmission(ctx: Ctx, admission: Admission): Promise<PresentedSourceRow> {
  const found = await ctx.acrossWorkspaces('admit-source').tx((em) => findPresented(em, null, [admission.presented]))
  const own = presentedIn(found, admission.presented)
  const refusal = refusalOf(admission, ctx.caller.workspaceId, own)
  if (refusal || !own) throw refusal ?? new Error('a source was admitted that was not found')
  return own
}
