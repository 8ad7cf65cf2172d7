import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import { HttpFault } from '@lettergate/http'
import { unauthenticated } from '../engine/authenticate.ts'
import { refuseForgery } from '../engine/authorise.ts'
import type { Handler } from '../engine/exchange.ts'
import type { Principals } from '../engine/principals.ts'
import { csrfTokenOf, sameSecret, sessionCookieOf, sessionSetCookie, type Sessions } from '../engine/sessions.ts'
import type { Wallet } from '../engine/wallet.ts'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'

export interface SignInOptions {
  baseUrl: string
  walletBaseUrl: string
  trustedProxies: number
  wallet: Wallet
  sessions: Sessions
  principals: Principals
  /** Separate limits for the start of a sign-in, and for the return with a token. */
  limits: { start: RateLimit; callback: RateLimit }
}

const statesCookie = 'sign_in_state'
const stateSeconds = 600
/** Tabs of one browser that can sign in at the same time. */
const statesMax = 5
const path = '/console/auth'

/** The states of the sign-ins that this browser has started, the newest last. */
const startedStates = (cookies: string | undefined): string[] =>
  (parseCookie(cookies ?? '')[statesCookie] ?? '').split('.').filter((state) => /^[\w-]{43}$/.test(state))

const setStates = (states: readonly string[], baseUrl: string) =>
  stringifySetCookie({
    name: statesCookie,
    value: states.slice(-statesMax).join('.'),
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: baseUrl.startsWith('https:'),
    maxAge: states.length === 0 ? 0 : stateSeconds,
  })

const badState = () =>
  new HttpFault(
    400,
    'state',
    'This sign-in was not started in this browser, or it took too long. Start again from the console.',
  )

/** Sign-in and sign-out of a browser: the redirect to the wallet, the return with a token, and the session of this service. */
export function signInRoutes(options: SignInOptions): { method: string; template: string; handler: Handler }[] {
  const { baseUrl, sessions, principals, wallet } = options

  const start: Handler = async ({ req, res }) => {
    const wait = await options.limits.start.over(clientAddress(req, options.trustedProxies))
    if (wait !== null) throw tooMany(wait)
    const state = randomBytes(32).toString('base64url')
    const target = new URL(`${options.walletBaseUrl}/signin`)
    target.searchParams.set('redirect_uri', `${baseUrl}${path}/callback`)
    target.searchParams.set('state', state)
    const cookie = setStates([...startedStates(req.headers.cookie), state], baseUrl)
    res.writeHead(302, { Location: target.href, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).end()
  }

  const callback: Handler = async ({ req, res }) => {
    const wait = await options.limits.callback.over(clientAddress(req, options.trustedProxies))
    if (wait !== null) throw tooMany(wait)
    const query = new URL(req.url!, baseUrl).searchParams
    const state = query.get('state') ?? ''
    const started = startedStates(req.headers.cookie)
    const others = started.filter((other) => !sameSecret(state, other))
    if (others.length === started.length) throw badState()
    const token = query.get('sso_token') ?? ''
    const found = token.startsWith('wallet-session-') ? await wallet.introspect(token) : null
    if (found === null || found.tokenUse !== 'session')
      throw unauthenticated('token', 'The identity wallet did not confirm who you are. Sign in again.')
    const { userId } = await principals.recognise(found, null)
    const before = sessionCookieOf(req.headers.cookie)
    if (before !== undefined) await sessions.end(before)
    const cookie = await sessions.begin(userId)
    res
      .writeHead(303, {
        Location: '/console',
        'Set-Cookie': [sessionSetCookie(cookie, baseUrl), setStates(others, baseUrl)],
        'Cache-Control': 'no-store',
      })
      .end()
  }

  const signOut: Handler = async ({ req, res, answer }) => {
    const cookie = sessionCookieOf(req.headers.cookie)
    if (cookie === undefined || (await sessions.find(cookie)) === null)
      throw unauthenticated('session', 'There is no session to end. You are signed out already.')
    refuseForgery(req, csrfTokenOf(cookie))
    await sessions.end(cookie)
    res.setHeader('Set-Cookie', sessionSetCookie('', baseUrl))
    answer(200, { signed_out: true })
  }

  return [
    { method: 'GET', template: `${path}/sign-in`, handler: start },
    { method: 'GET', template: `${path}/callback`, handler: callback },
    { method: 'POST', template: `${path}/sign-out`, handler: signOut },
  ]
}
