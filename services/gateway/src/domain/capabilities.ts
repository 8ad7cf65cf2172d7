/** The capabilities of each role in a workspace: the matrix of the specification. */
export const roles = ['owner', 'brand_admin', 'editor', 'analyst'] as const
export type Role = (typeof roles)[number]

const everybody: readonly Role[] = roles
const authors: readonly Role[] = ['owner', 'brand_admin', 'editor']
const administrators: readonly Role[] = ['owner', 'brand_admin']

/** The roles with each capability, in the order in which capabilities are listed to callers. */
export const matrix = {
  view: everybody,
  upsert_contacts: authors,
  delete_contacts: administrators,
  approve_imports: administrators,
  edit_content: authors,
  edit_automations: authors,
  send_test: authors,
  schedule_campaign: authors,
  manage_senders: administrators,
  pause_delivery: administrators,
  resolve_suppressions: administrators,
  manage_subscription_sources: administrators,
  manage_team_roles: administrators,
  manage_audiences: administrators,
} as const satisfies Record<string, readonly Role[]>

export type Capability = keyof typeof matrix

export const capabilities = Object.keys(matrix) as Capability[]

const lostWhenArchived: ReadonlySet<Capability> = new Set(['send_test', 'schedule_campaign', 'pause_delivery'])

export const isCapability = (name: string): name is Capability => Object.hasOwn(matrix, name)

/** Whether a role has a capability. In an archived workspace no role has test sends, scheduling and pausing. */
export function holds(role: string, capability: Capability, isArchived: boolean): boolean {
  if (isArchived && lostWhenArchived.has(capability)) return false
  return matrix[capability].some((holder) => holder === role)
}

/** All capabilities of a role, with those of the console. */
export const capabilitiesOf = (role: string, isArchived: boolean): Capability[] =>
  capabilities.filter((capability) => holds(role, capability, isArchived))

/** The capabilities of a server-to-server caller, for any role of the acting user. */
export const serviceCapability: Capability = 'edit_content'

export type Ownership = 'platform_or_workspace_owner' | 'platform_and_workspace_owner' | 'workspace_owner'

/** Whether the caller owns the workspace or the platform, as the operation requires in addition to the capability. */
export function owns(ownership: Ownership, role: string, platformRole: string | null): boolean {
  const platform = platformRole === 'owner'
  const workspace = role === 'owner'
  switch (ownership) {
    case 'platform_or_workspace_owner':
      return platform || workspace
    case 'platform_and_workspace_owner':
      return platform && workspace
    case 'workspace_owner':
      return workspace
  }
}

/** Roles that may change platform gates and read the audit log. */
export const administersPlatform = (platformRole: string | null): boolean =>
  platformRole === 'owner' || platformRole === 'administrator'
