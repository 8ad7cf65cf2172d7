export interface WalletUser {
  /** The `sub` of introspection, which services store as wallet_user_id. */
  readonly sub: string
  readonly username: string
  readonly identityType: 'human' | 'agent'
  /** Only for the sign-in page: services decide what a user may do. */
  readonly description: string
}

const person = (username: string, description: string, identityType: 'human' | 'agent' = 'human'): WalletUser => ({
  sub: username,
  username,
  identityType,
  description,
})

/** The users of the local wallet. Each has the permanent token `wallet-session-dev-<username>`. */
export const seededUsers: readonly WalletUser[] = [
  person('owner', 'Platform owner, owner of every acme workspace'),
  person('admin', 'Brand admin in acme/newsletter'),
  person('editor', 'Editor in acme/newsletter'),
  person('analyst', 'Analyst in acme/newsletter'),
  person('agent', 'Agent, editor in acme/newsletter', 'agent'),
  person('wsowner', 'Owner of acme/newsletter, no platform role'),
  person('outsider', 'Owner of globex/main only'),
  person('platform', 'Platform administrator, member of nothing'),
]

export const expiredToken = 'wallet-session-dev-expired'
export const agentApiKey = 'dev-agent-api-key'
