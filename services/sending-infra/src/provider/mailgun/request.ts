import { jsonOf, problemOf, type ProviderProblem } from '@lettergate/mail-provider/answer'
import { authorization } from '@lettergate/mail-provider/authorization'
import type { ProviderLines } from '@lettergate/mail-provider/lines'
import type { Measures } from '../../measures.ts'

export type { ProviderProblem } from '@lettergate/mail-provider/answer'

/** Which account at the provider is asked. The credential is never kept, logged or put into an error. */
export interface ProviderAccess {
  /** whose line the call takes */
  readonly connectionId: string
  readonly region: 'us' | 'eu'
  readonly credential: string
}

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
  lines: ProviderLines
}

const bodyBytesMax = 512 * 1024

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
  const result = await settings.lines.call(access.connectionId, {
    method: call.method,
    url: settings.baseUrls[access.region] + call.path,
    headers: {
      authorization: authorization(access.credential),
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(body === undefined ? {} : { body }),
    connectTimeoutMs: Math.min(settings.timeoutMs, 3_000),
    timeoutMs: settings.timeoutMs,
    bodyBytesMax,
    signal: call.signal,
  })
  const value = result.kind === 'resting' ? undefined : jsonOf(result)
  const problem =
    result.kind === 'resting' ? result.problem : (problemOf(result) ?? (value === undefined ? 'unreadable' : undefined))
  settings.measures.providerCall.observe(
    { operation: call.operation, outcome: result.kind === 'resting' ? 'resting' : (problem ?? 'ok') },
    (performance.now() - started) / 1_000,
  )
  return problem === undefined ? { ok: true, value: value! } : { ok: false, problem }
}
