import { callHttp, type CallResult } from '@lettergate/http'
import type { Measures } from '../../measures.ts'

/** Which account at the provider is asked. The credential is never kept, logged or put into an error. */
export interface ProviderAccess {
  readonly region: 'us' | 'eu'
  readonly credential: string
}

/** Why the provider did not do what was asked. `refused` is about the request itself; `failing` and `unreadable` are its own trouble. */
export type ProviderProblem =
  'unreachable' | 'credential_refused' | 'not_found' | 'refused' | 'rate_limited' | 'failing' | 'unreadable'

export type ProviderResult<T> = { ok: true; value: T } | { ok: false; problem: ProviderProblem }

export interface ProviderRequest {
  /** for metrics */
  operation: string
  method: 'GET' | 'POST' | 'PUT'
  /** below the region's base URL, with its parts already escaped */
  path: string
  form?: readonly (readonly [string, string])[]
  signal: AbortSignal
}

export interface MailgunSettings {
  baseUrls: Readonly<Record<ProviderAccess['region'], string>>
  timeoutMs: number
  measures: Measures
}

const bodyBytesMax = 512 * 1024

function problemOf(result: CallResult): ProviderProblem | undefined {
  if (result.kind !== 'answered') return 'unreachable'
  const { status } = result
  if (status === 200 || status === 201) return result.truncated ? 'unreadable' : undefined
  if (status === 401 || status === 402 || status === 403) return 'credential_refused'
  if (status === 404) return 'not_found'
  if (status === 400 || status === 409) return 'refused'
  if (status === 429) return 'rate_limited'
  return status === 408 || status >= 500 ? 'failing' : 'unreadable'
}

function jsonOf(body: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** One call with HTTP Basic `api:<key>`; answers the JSON object, or what stood in the way. Never throws, never repeats a call. */
export async function request(
  settings: MailgunSettings,
  access: ProviderAccess,
  call: ProviderRequest,
): Promise<ProviderResult<object>> {
  const started = performance.now()
  const body =
    call.form === undefined
      ? undefined
      : new URLSearchParams(call.form.map(([name, value]): [string, string] => [name, value])).toString()
  const result = await callHttp({
    method: call.method,
    url: settings.baseUrls[access.region] + call.path,
    headers: {
      authorization: `Basic ${Buffer.from(`api:${access.credential}`).toString('base64')}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === undefined ? {} : { body }),
    connectTimeoutMs: Math.min(settings.timeoutMs, 3_000),
    timeoutMs: settings.timeoutMs,
    bodyBytesMax,
    signal: call.signal,
  })
  const value = result.kind === 'answered' ? jsonOf(result.body) : undefined
  const problem = problemOf(result) ?? (value === undefined ? 'unreadable' : undefined)
  settings.measures.providerCall.observe(
    { operation: call.operation, outcome: problem ?? 'ok' },
    (performance.now() - started) / 1_000,
  )
  return problem === undefined ? { ok: true, value: value! } : { ok: false, problem }
}
