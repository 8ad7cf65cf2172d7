import { until } from '@lettergate/stage'
import type { GatewayCallOptions, GatewayStage } from './gateway-stage.ts'

/** A browser that signed in through the wallet as this user. */
export interface Browser {
  cookie: string
  csrfToken: string
  call(method: string, path: string, options?: GatewayCallOptions): ReturnType<GatewayStage['call']>
}

const cookieNamed = (headers: Headers, name: string) =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(';', 1)[0]

/** Signs in, again if the wallet did not answer in time. */
export const signIn = (gateway: GatewayStage, user: string): Promise<Browser> =>
  until(() => tryToSignIn(gateway, user), { what: `the sign-in of ${user}` })

/** The redirect chain of a browser: to the wallet, a choice there, and back with a state and a token. */
async function tryToSignIn(gateway: GatewayStage, user: string): Promise<Browser | undefined> {
  const start = await gateway.call('GET', '/console/auth/sign-in')
  const target = new URL(start.headers.get('location')!)
  const form = new URLSearchParams({
    user,
    redirect_uri: target.searchParams.get('redirect_uri')!,
    state: target.searchParams.get('state')!,
  })
  const chosen = await fetch(`${gateway.walletUrl}/signin`, { method: 'POST', body: form, redirect: 'manual' })
  const back = new URL(chosen.headers.get('location')!)
  const callback = await gateway.call('GET', back.pathname + back.search, {
    headers: { cookie: cookieNamed(start.headers, 'sign_in_state')! },
  })
  if (callback.status !== 303) throw new Error(`the callback answered ${callback.status}: ${callback.text}`)
  const cookie = cookieNamed(callback.headers, 'session')
  if (cookie === undefined) return undefined
  const me = await gateway.call('GET', '/api/v1/me', { headers: { cookie } })
  const csrfToken = me.json['csrf_token'] as string
  return {
    cookie,
    csrfToken,
    call: (method, path, options = {}) =>
      gateway.call(method, path, {
        ...options,
        headers: { cookie, ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }), ...options.headers },
      }),
  }
}
