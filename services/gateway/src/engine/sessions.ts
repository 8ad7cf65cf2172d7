import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import { columns, sql, statement, type Database } from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import type { Service } from '@lettergate/service'
import { idleSeconds, Session, sessionSeconds } from '../identity/session.entity.ts'
import { User } from '../identity/user.entity.ts'

const cookieName = 'session'
/** The time of last use is written at most this often. */
const touchSeconds = 60

/** Whose session a cookie is of. */
export interface SessionHolder {
  walletUserId: string
  sessionId: string
  csrfToken: string
}

export interface Sessions {
  /** Starts a session and returns the value of the cookie, which is not stored. */
  begin(userId: string): Promise<string>
  /** null: the session does not exist or has ended. A request in the background is no use of the session. */
  find(cookie: string, isBackground?: boolean): Promise<SessionHolder | null>
  end(cookie: string): Promise<void>
}

const selectHolder = statement('select-session-holder', {
  ...columns(User, 'wallet_user_id'),
  ...columns(Session, 'id', 'last_used_at'),
})

const hashOf = (cookie: string) => createHash('sha256').update(`session:${cookie}`).digest('base64url')

/** The CSRF token is derived from the HttpOnly cookie of the session, and scripts of other origins cannot read it. */
export const csrfTokenOf = (cookie: string): string => createHash('sha256').update(`csrf:${cookie}`).digest('base64url')

/** Compares in constant time. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest())

export const sessionCookieOf = (header: string | undefined): string | undefined => {
  if (header === undefined || !header.includes(`${cookieName}=`)) return undefined
  const value = parseCookie(header)[cookieName]
  return value === '' ? undefined : value
}

/** Secure, except on a stack that is used over http on the local machine. */
export function sessionSetCookie(value: string, baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl)
  const isLocal = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return stringifySetCookie({
    name: cookieName,
    value,
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: !isLocal,
    maxAge: value === '' ? 0 : sessionSeconds,
  })
}

export function sessionsIn(db: Database, service: Service): Sessions {
  const before = (seconds: number) => new Date(service.now().getTime() - seconds * 1000)
  const once = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw faultOf(error)
    }
  }
  return {
    begin: (userId) =>
      once(async () => {
        const cookie = randomBytes(32).toString('base64url')
        const em = db.fork()
        await em.nativeDelete(Session, { createdAt: { $lt: before(sessionSeconds) } })
        const now = service.now()
        await em.insert(Session, { tokenHash: hashOf(cookie), userId, createdAt: now, lastUsedAt: now })
        return cookie
      }),
    find: (cookie, isBackground = false) =>
      once(async () => {
        const found = await selectHolder.row(
          db.fork(),
          sql`select u.wallet_user_id, s.id, s.last_used_at from sessions s join users u on u.id = s.user_id
               where s.token_hash = ${hashOf(cookie)} and s.created_at > ${before(sessionSeconds)} and s.last_used_at > ${before(idleSeconds)}`,
        )
        if (!found) return null
        if (!isBackground && new Date(found.last_used_at) < before(touchSeconds)) {
          await db.fork().nativeUpdate(Session, { tokenHash: hashOf(cookie) }, { lastUsedAt: service.now() })
        }
        return { walletUserId: found.wallet_user_id, sessionId: found.id, csrfToken: csrfTokenOf(cookie) }
      }),
    end: (cookie) => once(async () => void (await db.fork().nativeDelete(Session, { tokenHash: hashOf(cookie) }))),
  }
}
