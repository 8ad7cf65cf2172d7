import { randomBytes } from 'node:crypto'
import { expiredToken, seededUsers, type WalletUser } from './seed.ts'

const sessionSeconds = 12 * 60 * 60
const grantSeconds = 60 * 60
const agentIdentitySeconds = 5 * 60

interface Issued {
  readonly sub: string
  readonly username: string
  readonly identityType: string
  readonly use: 'session' | 'grant' | 'identity'
  readonly scope: string
  /** Unix seconds; undefined for the seeded tokens, which do not expire. */
  readonly expiresAt: number | undefined
}

export type Introspection =
  | { active: false }
  | {
      active: true
      sub: string
      username: string
      identity_type: string
      token_use: string
      scope: string
      exp: number
    }

export interface Tokens {
  issueSession(user: WalletUser, seconds?: number): string
  issueGrant(sourceId: string, permissions: readonly string[], seconds?: number): string
  /** Proves an agent's identity to the wallet only: introspection calls it inactive. */
  issueIdentity(user: WalletUser): string
  identityOf(token: string): string | undefined
  /** Returns whether the token existed. */
  revoke(token: string): boolean
  introspect(token: string): Introspection
}

/** All tokens of the wallet in memory, with the seeded ones. */
export function createTokens(now: () => number): Tokens {
  const issued = new Map<string, Issued>()
  const session = (user: WalletUser, expiresAt?: number): Issued => ({
    sub: user.sub,
    username: user.username,
    identityType: user.identityType,
    use: 'session',
    scope: '',
    expiresAt,
  })
  const put = (prefix: string, token: Issued) => {
    const value = prefix + randomBytes(32).toString('base64url')
    issued.set(value, token)
    return value
  }
  const live = (value: string) => {
    const token = issued.get(value)
    return token !== undefined && (token.expiresAt === undefined || token.expiresAt > now()) ? token : undefined
  }

  for (const user of seededUsers) issued.set(`wallet-session-dev-${user.username}`, session(user))
  const [owner] = seededUsers
  if (owner) issued.set(expiredToken, session(owner, 1))

  return {
    issueSession: (user, seconds = sessionSeconds) => put('wallet-session-', session(user, now() + seconds)),
    issueGrant: (sourceId, permissions, seconds = grantSeconds) =>
      put('wallet-grant-', {
        sub: `source:${sourceId}`,
        username: `source-${sourceId}`,
        identityType: 'agent',
        use: 'grant',
        scope: [`subscription-source:${sourceId}`, ...permissions].join(' '),
        expiresAt: now() + seconds,
      }),
    issueIdentity: (user) =>
      put('agent-identity-', { ...session(user, now() + agentIdentitySeconds), use: 'identity' }),
    identityOf: (value) => {
      const token = live(value)
      return token?.use === 'identity' ? token.sub : undefined
    },
    revoke: (value) => issued.delete(value),
    introspect: (value) => {
      const token = live(value)
      if (token === undefined || token.use === 'identity') return { active: false }
      return {
        active: true,
        sub: token.sub,
        username: token.username,
        identity_type: token.identityType,
        token_use: token.use,
        scope: token.scope,
        exp: token.expiresAt ?? now() + sessionSeconds,
      }
    },
  }
}
