import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import { execute, row, sql, type Database } from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import type { Service } from '@lettergate/service'

export const sessionSeconds = 12 * 3_600
export const idleSeconds = 2 * 3_600
const cookieName = 'session'
/** The moment of last use is written at most this often. */
const touchSeconds = 60

export interface Session {
  walletUserId: string
  csrfToken: string
}

export interface Sessions {
  /** Starts a session and answers the cookie's value, which is stored nowhere. */
  begin(userId: string): Promise<string>
  /** null: there is no such session, or it is over. */
  find(cookie: string): Promise<Session | null>
  end(cookie: string): Promise<void>
}

const hashOf = (cookie: string) => createHash('sha256').update(`session:${cookie}`).digest('base64url')

/** Bound to the session: only who holds the HttpOnly cookie could compute it, and scripts of other origins cannot read it. */
export const csrfTokenOf = (cookie: string): string => createHash('sha256').update(`csrf:${cookie}`).digest('base64url')

/** Compares in time that says nothing about either value. */
export const sameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest())

export const sessionCookieOf = (header: string | undefined): string | undefined => {
  if (header === undefined || !header.includes(`${cookieName}=`)) return undefined
  const value = parseCookie(header)[cookieName]
  return value === '' ? undefined : value
}

/** Secure unless people reach this stack over http on their own machine. */
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
        await execute(db.fork(), sql`delete from sessions where created_at < ${before(sessionSeconds)}`)
        await execute(
          db.fork(),
          sql`insert into sessions (token_hash, user_id, created_at, last_used_at) values (${hashOf(cookie)}, ${userId}::uuid, ${service.now()}, ${service.now()})`,
        )
        return cookie
      }),
    find: (cookie) =>
      once(async () => {
        const found = await row<{ wallet_user_id: string; last_used_at: string }>(
          db.fork(),
          sql`select u.wallet_user_id, s.last_used_at from sessions s join users u on u.id = s.user_id
               where s.token_hash = ${hashOf(cookie)} and s.created_at > ${before(sessionSeconds)} and s.last_used_at > ${before(idleSeconds)}`,
        )
        if (!found) return null
        if (new Date(found.last_used_at) < before(touchSeconds)) {
          await execute(
            db.fork(),
            sql`update sessions set last_used_at = ${service.now()} where token_hash = ${hashOf(cookie)}`,
          )
        }
        return { walletUserId: found.wallet_user_id, csrfToken: csrfTokenOf(cookie) }
      }),
    end: (cookie) =>
      once(async () => void (await execute(db.fork(), sql`delete from sessions where token_hash = ${hashOf(cookie)}`))),
  }
}
