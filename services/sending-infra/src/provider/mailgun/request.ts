import { jsonOf, problemOf, type ProviderProblem } from '@lettergate/mail-provider/answer'
import { authorization } from '@lettergate/mail-provider/authorization'
import type { ProviderConnections } from '@lettergate/mail-provider/connections'
import type { SendingMetrics } from '../../metrics.ts'

export type { ProviderProblem } from '@lettergate/mail-provider/answer'

/** The provider account of a call. The credential is never stored, logged or added to an error. */
export interface ProviderAccount {
  /** the connection whose limits apply to the call */
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
  baseUrls: Readonly<Record<ProviderAccount['region'], string>>
  timeoutMs: number
  metrics: SendingMetrics
  connections: ProviderConnections
}

const bodyBytesMax = 512 * 1024

/** One call with HTTP Basic `api:<key>`. Answers the JSON object or the problem. It never throws and never retries. */
export async function request(
  settings: MailgunSettings,
  access: ProviderAccount,
  call: ProviderRequest,
): Promise<ProviderResult<object>> {
  const started = performance.now()
  const body =
    call.form === undefined
      ? undefined
      : new URLSearchParams(call.form.map(([name, value]): [string, string] => [name, value])).toString()
  const result = await settings.connections.call(access.connectionId, {
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
  const value = result.kind === 'not_called' ? undefined : jsonOf(result)
  const problem =
    result.kind === 'not_called'
      ? result.problem
      : (problemOf(result) ?? (value === undefined ? 'unreadable' : undefined))
  settings.metrics.providerCall.observe(
    { operation: call.operation, outcome: result.kind === 'not_called' ? 'resting' : (problem ?? 'ok') },
    (performance.now() - started) / 1_000,
  )
  return problem === undefined ? { ok: true, value: value! } : { ok: false, problem }
}
