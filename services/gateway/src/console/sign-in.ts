import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { Fault } from '@lettergate/fault'
import { faultStatus, HttpFault } from '@lettergate/http'
import { isOperatorToken, unauthenticated } from '../engine/authenticate.ts'
import { crossSite, isCrossSite, refuseForgery } from '../engine/authorise.ts'
import { prefersHtml, type Handler } from '../engine/exchange.ts'
import type { GuessLimit } from '../engine/guess-limit.ts'
import type { Principals } from '../engine/principals.ts'
import type { RequestLog } from '../engine/request-log.ts'
import { csrfTokenOf, sameSecret, sessionCookieOf, sessionSetCookie, type Sessions } from '../engine/sessions.ts'
import type { Wallet } from '../engine/wallet.ts'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'
import type { Service } from '@lettergate/service'
import { showSignInFailed, signInFailedRoute, signInFailures } from './sign-in-failed.ts'

export interface SignInOptions {
  baseUrl: string
  walletBaseUrl: string
  trustedProxies: number
  wallet: Wallet
  sessions: Sessions
  principals: Principals
  /** Separate limits for the start of a sign-in, and for the return with a token. */
  limits: { start: RateLimit; callback: RateLimit }
  /** limit of unknown session cookies */
  guesses: GuessLimit
  log: RequestLog
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

const badState = () => new HttpFault(400, 'state', `${signInFailures.state.message} Start again from the console.`)

/** Images and frames of other sites would use up the limit of the address of a user. */
function refuseEmbedded(req: IncomingMessage): void {
  if (isCrossSite(req) && req.headers['sec-fetch-dest'] !== 'document') throw crossSite()
}

/**
 * Whether a browser starts at another name of this host, such as `localhost`: it would not send its cookie to the callback, so it
 * starts again at the base URL. Only once, because a proxy may change the Host header.
 */
const isElsewhere = (req: IncomingMessage, baseUrl: string): boolean =>
  req.headers['sec-fetch-dest'] === 'document' &&
  req.headers.host !== new URL(baseUrl).host &&
  !new URL(req.url!, baseUrl).searchParams.has('moved')

/** Sign-in and sign-out of a browser: the redirect to the wallet, the return with a token, and the session of this service. */
export function signInRoutes(
  service: Service,
  options: SignInOptions,
): { method: string; template: string; handler: Handler }[] {
  const { baseUrl, sessions, principals, wallet } = options

  const start: Handler = async ({ req, res }) => {
    refuseEmbedded(req)
    if (isElsewhere(req, baseUrl))
      return void res
        .writeHead(302, { Location: `${baseUrl}${path}/sign-in?moved=`, 'Cache-Control': 'no-store' })
        .end()
    const wait = await options.limits.start.over(clientAddress(req, options.trustedProxies))
    if (wait !== null) throw tooMany(wait)
    const state = randomBytes(32).toString('base64url')
    const target = new URL(`${options.walletBaseUrl}/signin`)
    target.searchParams.set('redirect_uri', `${baseUrl}${path}/callback`)
    target.searchParams.set('state', state)
    const cookie = setStates([...startedStates(req.headers.cookie), state], baseUrl)
    res.writeHead(302, { Location: target.href, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' }).end()
  }

  const finish: Handler = async ({ req, res }) => {
    const wait = await options.limits.callback.over(clientAddress(req, options.trustedProxies))
    if (wait !== null) throw tooMany(wait)
    const query = new URL(req.url!, baseUrl).searchParams
    const state = query.get('state') ?? ''
    const started = startedStates(req.headers.cookie)
    const others = started.filter((other) => !sameSecret(state, other))
    if (others.length === started.length) throw badState()
    res.setHeader('Set-Cookie', setStates(others, baseUrl))
    const token = query.get('sso_token') ?? ''
    const found = isOperatorToken(token) ? await wallet.introspect(token) : null
    if (found === null || found.tokenUse !== 'session')
      throw unauthenticated('token', `${signInFailures.token.message} Sign in again.`)
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

  /** A failure must not leave a browser at the address of the callback, which contains a token. */
  const callback: Handler = async (exchange) => {
    const { req, res, correlationId } = exchange
    refuseEmbedded(req)
    try {
      await finish(exchange)
    } catch (error) {
      if (!prefersHtml(req)) throw error
      options.log.refused(req, error)
      if (!(error instanceof Fault) || faultStatus(error) >= 500)
        service.log.error({ err: error, correlation_id: correlationId }, 'a sign-in failed')
      showSignInFailed(res, error, correlationId)
    }
  }

  const signOut: Handler = async ({ req, res, answer }) => {
    const over = () => unauthenticated('session', 'There is no session to end. You are signed out already.')
    const cookie = sessionCookieOf(req.headers.cookie)
    if (cookie === undefined) throw over()
    await options.guesses.guard(req, cookie, async () => {
      if ((await sessions.find(cookie)) === null) throw over()
    })
    refuseForgery(req, csrfTokenOf(cookie))
    await sessions.end(cookie)
    res.setHeader('Set-Cookie', sessionSetCookie('', baseUrl))
    answer(200, { signed_out: true })
  }

  return [
    { method: 'GET', template: `${path}/sign-in`, handler: start },
    { method: 'GET', template: `${path}/callback`, handler: callback },
    signInFailedRoute,
    { method: 'POST', template: `${path}/sign-out`, handler: signOut },
  ]
}
