/** What a role may do in a workspace. The matrix of the specification, decided in one place. */
export const roles = ['owner', 'brand_admin', 'editor', 'analyst'] as const
export type Role = (typeof roles)[number]

const everybody: readonly Role[] = roles
const authors: readonly Role[] = ['owner', 'brand_admin', 'editor']
const administrators: readonly Role[] = ['owner', 'brand_admin']

/** Capability to the roles that hold it, in the order in which capabilities are listed to callers. */
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

/** Whether a role holds a capability; an archived workspace takes test sends, scheduling and pausing from everybody. */
export function holds(role: string, capability: Capability, isArchived: boolean): boolean {
  if (isArchived && lostWhenArchived.has(capability)) return false
  return matrix[capability].some((holder) => holder === role)
}

/** Everything a role may do in a workspace, console-only capabilities included. */
export const capabilitiesOf = (role: string, isArchived: boolean): Capability[] =>
  capabilities.filter((capability) => holds(role, capability, isArchived))

/** What a server-to-server caller may do, whatever the acting user's role. */
export const serviceCapability: Capability = 'edit_content'

export type Ownership = 'platform_or_workspace_owner' | 'platform_and_workspace_owner' | 'workspace_owner'

/** Whether the caller owns what an operation asks them to own, on top of the capability. */
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

/** People who may flip platform gates and read the audit log. */
export const administersPlatform = (platformRole: string | null): boolean =>
  platformRole === 'owner' || platformRole === 'administrator'
