import { Fault } from '@lettergate/fault'

export type SourcePermission = 'events.write' | 'audiences.read'
export const sourceStatuses = ['active', 'suspended', 'revoked'] as const
export type SourceStatus = (typeof sourceStatuses)[number]

/** The hash of a static credential, or the source and permissions of a valid wallet grant. */
export interface Presented {
  readonly credentialSha256: string | null
  readonly grantedSourceId: string | null
  readonly permissions: readonly string[]
}

/** The source, the credential and the required permission of a request. */
export interface Admission {
  readonly slug: string
  readonly presented: Presented
  readonly permission: SourcePermission
}

/** The source of a credential, in any workspace. */
export interface PresentedSource {
  readonly workspaceId: string
  readonly slug: string
  readonly status: SourceStatus
}

const refused = (reason: string, message: string) => new Fault('permission_denied', reason, message)

/**
 * Decides whether a source is admitted, in the order of checks: 401 for an unknown credential, 404 for an unknown or foreign
 * workspace, then 403. `workspaceId` is null if the workspace in the path does not exist.
 */
export function refusalOf(
  { slug, presented, permission }: Admission,
  workspaceId: string | null,
  own: PresentedSource | undefined,
): Fault | null {
  const isGrant = presented.credentialSha256 === null
  if ((isGrant && presented.grantedSourceId === null) || (!isGrant && !own)) {
    return new Fault(
      'unauthenticated',
      'credential',
      'This source credential is not valid, or was revoked. Ask an operator of the workspace for a new one.',
    )
  }
  if (workspaceId === null || (own && own.workspaceId !== workspaceId)) {
    return new Fault('not_found', 'workspace', 'There is no such workspace.')
  }
  if (!own || own.slug !== slug) {
    return refused('source', 'This credential belongs to another subscription source. Use the one of this source.')
  }
  if (isGrant && !presented.permissions.includes(permission)) {
    return refused('permission', `This grant does not include ${permission}. Ask for a grant that does.`)
  }
  if (own.status !== 'active') {
    return refused(
      'source_status',
      `This subscription source is ${own.status}. An operator of the workspace can make it active again.`,
    )
  }
  return null
}
