import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

/** Reasons of refusals that end by themselves on a loaded machine, and after which the same call may be sent again. */
const temporary = new Set(['wallet', 'database', 'busy'])
/** Acts that have the same effect when they are sent twice. */
const repeatableAct = /\/(activate|check|register-webhooks|readiness|verify)$/
const triesMax = 10
const retryMs = 1_000

export interface Answer {
  status: number
  /** the JSON of a success; empty for an error page */
  json: Record<string, unknown>
  /** an error page as plain text, any other body unchanged */
  text: string
  correlationId: string
  /** the stable reason of a refusal, from X-Error-Reason; empty otherwise */
  reason: string
}

export interface Api {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /**
   * Like call, but an answer other than success ends the demo with the text of the page. While the wallet or the database does not
   * answer, the call is repeated. If a service did not answer in time, it may have done what was asked: then only a call is repeated
   * that has the same effect when it is sent twice.
   */
  ok<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<T>
  close(): Promise<void>
}

/** The text of an error page, without the page around it. */
const plain = (html: string) =>
  (/<h1>[\s\S]*?<\/h1>([\s\S]*?)<p class="reference">/.exec(html)?.[1] ?? html)
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

const isRepeatable = (method: string, path: string, headers: Record<string, string> = {}) =>
  method !== 'POST' || 'idempotency-key' in headers || repeatableAct.test(path)

/** A caller of the public API, with keep-alive connections. */
export function openApi(baseUrl: string, credentials: Record<string, string>): Api {
  const pool = new Pool(new URL(baseUrl).origin, { connections: 32 })
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const answer = await pool.request({
      method: method as 'GET',
      path,
      headers: { ...credentials, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await answer.body.text()
    const type = String(answer.headers['content-type'])
    const isJson = type.startsWith('application/json')
    return {
      status: answer.statusCode,
      json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
      text: type.startsWith('text/html') ? plain(text) : text,
      correlationId: String(answer.headers['x-correlation-id']),
      reason: String(answer.headers['x-error-reason'] ?? ''),
    }
  }
  return {
    call,
    async ok<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
      const began = performance.now()
      let answer = await call(method, path, body, headers)
      const isTemporary = ({ reason }: Answer) =>
        temporary.has(reason) || (reason === 'unavailable' && isRepeatable(method, path, headers))
      for (let tries = 1; isTemporary(answer) && tries < triesMax; tries += 1) {
        await sleep(retryMs)
        answer = await call(method, path, body, headers)
      }
      if (answer.status >= 300) {
        const { status, reason, text } = answer
        const seconds = ((performance.now() - began) / 1_000).toFixed(1)
        throw new Error(`${method} ${path} answered ${status} (${reason}) after ${seconds} s: ${text}`)
      }
      return answer.json as T
    },
    close: () => pool.close(),
  }
}

/** Calls `work` for each item, in order, at most `width` at a time. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next
      next += 1
      await work(items[index]!, index)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Signs a person in like a browser, and returns the credentials of the session: cookie and CSRF token. */
export async function signInAs(username: string, baseUrl: string): Promise<Record<string, string>> {
  const start = await fetch(`${baseUrl}/console/auth/sign-in`, { redirect: 'manual' })
  const wallet = new URL(start.headers.get('location')!)
  const form = new URLSearchParams({
    user: username,
    redirect_uri: wallet.searchParams.get('redirect_uri')!,
    state: wallet.searchParams.get('state')!,
  })
  const signedIn = await fetch(new URL('/signin', wallet), { method: 'POST', body: form, redirect: 'manual' })
  const back = await fetch(signedIn.headers.get('location')!, {
    redirect: 'manual',
    headers: { cookie: cookiesOf(start) },
  })
  const session = cookiesOf(back)
    .split('; ')
    .find((cookie) => cookie.startsWith('session='))
  if (!session) throw new Error(`signing in as ${username} did not give a session (status ${back.status})`)
  const me = (await (await fetch(`${baseUrl}/api/v1/me`, { headers: { cookie: session } })).json()) as {
    csrf_token: string
  }
  return { cookie: session, 'x-csrf-token': me.csrf_token }
}

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
