import type { IncomingMessage } from 'node:http'
import type { Fault } from '@lettergate/fault'
import { HttpFault } from '@lettergate/http'
import type { GuessLimit } from './guess-limit.ts'
import type { Plan } from './plan.ts'
import type { Principal, Principals, Slugs } from './principals.ts'
import { sameSecret, sessionCookieOf, type Sessions } from './sessions.ts'
import type { Wallet } from './wallet.ts'

export interface Authenticated {
  walletUserId: string
  principal: Principal
  authMethod: 'bearer' | 'session' | 'service'
  /** only for callers with a browser session */
  session: BrowserSession | null
}

/** What this process knows about the session of a caller; the token never leaves it. */
export interface BrowserSession {
  id: string
  csrfToken: string
}

export interface Credentials {
  wallet: Wallet
  sessions: Sessions
  principals: Principals
  /** limit of unknown wallet tokens and session cookies */
  guesses: GuessLimit
  /** empty: service callers are not allowed */
  serviceApiKey: string
}

const operatorPrefix = 'wallet-session-'

/** Whether the wallet may know this as a token of a user. */
export const isOperatorToken = (text: string): boolean =>
  text.startsWith(operatorPrefix) && /^[\x21-\x7e]{1,4096}$/.test(text)

/** prefix of a static credential of a subscription source */
export const sourcePrefix = 'lgs_'

export const unauthenticated = (reason: string, message: string): HttpFault =>
  new HttpFault(401, reason, message, { headers: { 'WWW-Authenticate': 'Bearer' } })

export const signInAgain = (): HttpFault =>
  unauthenticated(
    'token',
    'Your token is invalid or has expired. Get a new one from the identity wallet and try again.',
  )
/** For an invalid operator token. It may be a grant, which only the wallet knows and which is invalid on operator routes. */
const noOperatorToken = (): HttpFault =>
  unauthenticated(
    'token',
    'Your token is not valid here. A token for this operation starts with "wallet-session-". Get one from the identity wallet and try again.',
  )
export const wrongKind = (): HttpFault =>
  unauthenticated(
    'credential_kind',
    'This operation does not take that kind of credential. Use the one that its description names.',
  )

const bearerOf = (header: string): string => {
  const token = /^Bearer +([\x21-\x7e]{1,4096}) *$/i.exec(header)?.[1]
  if (token === undefined)
    throw unauthenticated('authorization', 'The Authorization header must be "Bearer", a space and a token.')
  return token
}

/**
 * Authenticates the caller by exactly one kind of credential. 401 for an unknown credential, 503 when the wallet is down, 429
 * before both for an address with too many unknown credentials.
 */
export async function authenticate(
  req: IncomingMessage,
  plan: Plan,
  slugs: Slugs | null,
  credentials: Credentials,
): Promise<Authenticated> {
  const { authorization, 'x-api-key': apiKey, cookie } = req.headers
  const isConsole = plan.document === 'console'
  if (authorization !== undefined)
    return isConsole ? refuse(wrongKind()) : byBearer(req, bearerOf(authorization), slugs, credentials)
  if (apiKey !== undefined)
    return isConsole ? refuse(wrongKind()) : byServiceKey(String(apiKey), req.headers['x-user-id'], slugs, credentials)
  const session = sessionCookieOf(cookie)
  if (session !== undefined) return bySession(req, session, slugs, credentials)
  throw unauthenticated(
    'no_credential',
    'Authentication is required. Send a wallet token as a bearer credential, or sign in.',
  )
}

const refuse = (fault: Fault): never => {
  throw fault
}

async function byBearer(
  req: IncomingMessage,
  token: string,
  slugs: Slugs | null,
  { wallet, guesses, principals }: Credentials,
): Promise<Authenticated> {
  if (token.startsWith(sourcePrefix)) throw wrongKind()
  if (!token.startsWith(operatorPrefix)) throw noOperatorToken()
  const found = await guesses.guard(req, token, async () => {
    const answer = await wallet.introspect(token)
    if (answer === null) throw signInAgain()
    if (answer.tokenUse !== 'session') throw wrongKind()
    return answer
  })
  const principal = await principals.recognise(found, slugs)
  return { walletUserId: found.walletUserId, principal, authMethod: 'bearer', session: null }
}

async function byServiceKey(
  key: string,
  userId: string | string[] | undefined,
  slugs: Slugs | null,
  { serviceApiKey, principals }: Credentials,
): Promise<Authenticated> {
  if (serviceApiKey === '' || !sameSecret(key, serviceApiKey))
    throw unauthenticated('api_key', 'The API key is not valid. Check the X-API-Key header.')
  const walletUserId = typeof userId === 'string' ? userId.trim() : ''
  const principal = walletUserId === '' ? null : await principals.find(walletUserId, slugs)
  if (!principal)
    throw unauthenticated('user_id', 'The X-User-ID header must name a user who is known here by their wallet_user_id.')
  return { walletUserId, principal, authMethod: 'service', session: null }
}

async function bySession(
  req: IncomingMessage,
  cookie: string,
  slugs: Slugs | null,
  { sessions, guesses, principals }: Credentials,
): Promise<Authenticated> {
  const over = () => unauthenticated('session', 'Your session is over. Sign in again.')
  const session = await guesses.guard(req, cookie, async () => {
    const found = await sessions.find(cookie, req.headers['x-background-request'] === 'true')
    if (!found) throw over()
    return found
  })
  const principal = await principals.find(session.walletUserId, slugs)
  if (!principal) throw over()
  const { walletUserId, sessionId: id, csrfToken } = session
  return { walletUserId, principal, authMethod: 'session', session: { id, csrfToken } }
}

/** The bearer token of a source route. Only the wallet or contacts-consent can check it; an operator's token is 401 at once. */
export function sourceTokenOf(req: IncomingMessage): string {
  const { authorization } = req.headers
  if (authorization === undefined)
    throw unauthenticated(
      'no_credential',
      'Authentication is required. Send the credential of this source, or a grant for it, as a bearer credential.',
    )
  const token = bearerOf(authorization)
  if (token.startsWith(operatorPrefix)) throw wrongKind()
  return token
}
