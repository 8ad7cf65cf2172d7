import { Fault } from '@lettergate/fault'

export const suppressionScopes = ['audience', 'workspace', 'platform'] as const
export type SuppressionScope = (typeof suppressionScopes)[number]

export const suppressionReasons = [
  'hard_bounce',
  'complaint',
  'unsubscribe',
  'manual',
  'import',
  'legal',
  'other',
] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** A suppression that prevents a new consent. */
export interface Blocker {
  readonly scope: SuppressionScope
  readonly reason: SuppressionReason
  /** null for the platform scope, because the suppression may belong to another tenant */
  readonly suppressionId: string | null
}

function oneOf<const T extends string>(field: string, allowed: readonly T[], given: string): T {
  const found = allowed.find((value) => value === given)
  if (found === undefined) throw new Fault('invalid_argument', field, `${field} must be one of ${allowed.join(', ')}.`)
  return found
}

export const parseScope = (given: string): SuppressionScope => oneOf('scope', suppressionScopes, given)
export const parseReason = (given: string): SuppressionReason => oneOf('reason', suppressionReasons, given)
/** The scopes of a preference link. */
export const parseLinkScope = (given: string): 'audience' | 'workspace' =>
  oneOf('scope', ['audience', 'workspace'], given)

/** Requires an audience with the audience scope, and refuses one with any other scope. */
export function requireAudienceForScope(scope: SuppressionScope, audienceId: string | undefined): string | null {
  if (scope === 'audience') {
    if (audienceId === undefined) {
      throw new Fault('invalid_argument', 'audience_id', 'audience_id is required with scope audience.')
    }
    return audienceId
  }
  if (audienceId !== undefined) {
    throw new Fault('invalid_argument', 'audience_id', `audience_id must not be given with scope ${scope}.`)
  }
  return null
}

/** Only administrators of the platform may change platform suppressions. Throws Fault `permission_denied`. */
export function requirePlatformAdministrator(platformRole: string | null): void {
  if (platformRole === 'owner' || platformRole === 'administrator') return
  throw new Fault(
    'permission_denied',
    'platform_role',
    'This holds for the whole platform. Only an owner or administrator of the platform may do this.',
  )
}

/** The Fault for subscribing a suppressed contact. It says what to resolve. */
export function blockedBy(blocker: Blocker): Fault {
  const what = `An unresolved ${blocker.scope}-scope suppression with reason ${blocker.reason}`
  const message =
    blocker.suppressionId === null
      ? `${what} blocks this address. A platform owner or administrator has to resolve it before the contact can be subscribed.`
      : `${what} blocks this contact. Resolve suppression ${blocker.suppressionId}, then subscribe again.`
  return new Fault('failed_precondition', `suppressed_${blocker.scope}`, message)
}
