import type { IncomingMessage } from 'node:http'
import { Fault } from '@lettergate/fault'
import { administersPlatform, holds, owns, serviceCapability } from '../domain/capabilities.ts'
import type { Authenticated } from './authenticate.ts'
import type { Plan } from './plan.ts'
import { sameSecret } from './sessions.ts'

const forbidden = (reason: string, message: string) => new Fault('permission_denied', reason, message)

const changes = (method: string | undefined) => method !== 'GET' && method !== 'HEAD'

export const isCrossSite = (req: IncomingMessage): boolean => req.headers['sec-fetch-site'] === 'cross-site'

export const crossSite = (): Fault =>
  forbidden('cross_site', 'Another site asked for this in your browser. Open the console and do it there.')

/** A request of a browser that changes state must have the CSRF token, which only pages of this origin can read. */
export function refuseForgery(req: IncomingMessage, csrfToken: string | null): void {
  if (csrfToken === null || !changes(req.method)) return
  const given = req.headers['x-csrf-token']
  if (isCrossSite(req) || typeof given !== 'string' || !sameSecret(given, csrfToken)) {
    throw forbidden(
      'csrf_token',
      'The X-CSRF-Token header is missing or does not belong to your session. Read csrf_token from GET /api/v1/me and try again.',
    )
  }
}

/**
 * Checks CSRF, then the capability, then the ownership of the caller. Throws 403. An expensive operation is for no link of
 * another site either: exports are recorded in the audit log.
 */
export function authorise(req: IncomingMessage, plan: Plan, caller: Authenticated): void {
  const { principal, authMethod, session } = caller
  refuseForgery(req, session?.csrfToken ?? null)
  const { capability, ownership, rateClass } = plan
  if (session && rateClass === 'expensive' && isCrossSite(req)) throw crossSite()
  const { workspace, platformRole } = principal
  if (capability !== 'authenticated' && capability !== 'public') {
    if (authMethod === 'service' && capability !== serviceCapability) {
      throw forbidden(
        'service_key',
        `A service key reaches operations that need ${serviceCapability} and no others. This one needs ${capability}.`,
      )
    }
    if (!workspace || !holds(workspace.role, capability, workspace.isArchived)) {
      const because =
        workspace?.isArchived && holds(workspace.role, capability, false)
          ? ', which an archived workspace takes from every role'
          : ', which your role in this workspace does not have'
      throw forbidden(capability, `This needs the capability ${capability}${because}.`)
    }
  }
  if (ownership === undefined) return
  if (ownership === 'platform_owner_or_administrator') {
    if (authMethod === 'service' || !administersPlatform(platformRole))
      throw forbidden('platform_role', 'Only an owner or administrator of the platform may do this.')
  } else if (!owns(ownership, workspace?.role ?? '', platformRole)) {
    throw forbidden('ownership', ownershipMessages[ownership])
  }
}

const ownershipMessages = {
  platform_or_workspace_owner: 'Only an owner of this workspace or of the platform may do this.',
  platform_and_workspace_owner: 'Only somebody who is an owner of the platform and of this workspace may do this.',
  workspace_owner: 'Only an owner of this workspace may do this.',
} as const
