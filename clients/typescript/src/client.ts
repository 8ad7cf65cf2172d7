import { addressOf, bodyOf, type Input } from './build-request.ts'
import type { Credential } from './credentials.ts'
import { readAnswer } from './read-answer.ts'
import type { Failure, Result } from './result.ts'
import { waitBeforeRetry } from './retry.ts'
import type { Route } from './route.ts'

export interface ClientOptions {
  /** The origin of the deployment, such as `https://mail.example.org`. */
  baseUrl: string
  /** None for the few public operations. */
  credential?: Credential
  /** Default: the `fetch` of the platform. */
  fetch?: typeof fetch
  /** For one attempt, the answer included. Default: 30,000. */
  timeoutMs?: number
  /** Attempts of one call, the first included; 1 never repeats a request. Default: 4. */
  attemptsMax?: number
  /** A longer `Retry-After` is returned to the caller instead. Default: 20,000. */
  waitMsMax?: number
}

export interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
  /** 8 to 128 letters, digits, dots, underscores and dashes. Default: a new one. */
  correlationId?: string
}

type Call<Of extends { input: object; output: unknown }> = (
  ...call: Record<never, never> extends Of['input']
    ? [input?: Of['input'], options?: CallOptions]
    : [input: Of['input'], options?: CallOptions]
) => Promise<Result<Of['output']>>

/** One method for each operation, named by its id. */
export type Client<Operations> = {
  readonly [Id in keyof Operations]: Operations[Id] extends { input: object; output: unknown }
    ? Call<Operations[Id]>
    : never
}

interface Slugs {
  organization_slug: string
  workspace_slug: string
}
/** A client whose operations need no slugs. */
export type WorkspaceClient<Operations> = Client<{
  [Id in keyof Operations]: Operations[Id] extends { input: infer Of; output: infer Output }
    ? { input: Omit<Of, keyof Slugs>; output: Output }
    : never
}>

type AnyCall = (input?: Input, options?: CallOptions) => Promise<Result<unknown>>

/** A client of the operations of one document. */
export function clientOf<Operations>(
  routes: Record<keyof Operations & string, Route>,
  options: ClientOptions,
): Client<Operations> {
  const { protocol } = new URL(options.baseUrl)
  if (!/^https?:$/.test(protocol))
    throw new TypeError(`The base URL begins with ${protocol}; it must be http or https.`)
  const calls = Object.entries<Route>(routes).map(([id, route]): [string, AnyCall] => [
    id,
    (input = {}, call = {}) => request(route, input, options, call),
  ])
  return Object.fromEntries(calls) as unknown as Client<Operations>
}

/** The same client in one workspace, named `organization/workspace`. */
export function inWorkspace<Operations>(client: Client<Operations>, workspace: string): WorkspaceClient<Operations> {
  const [organization_slug, workspace_slug, ...more] = workspace.split('/')
  if (!organization_slug || !workspace_slug || more.length > 0)
    throw new TypeError(`“${workspace}” is no workspace; write organization/workspace, such as acme/newsletter.`)
  const calls = Object.entries(client as unknown as Record<string, AnyCall>).map(([id, call]): [string, AnyCall] => [
    id,
    (input, options) => call({ ...input, organization_slug, workspace_slug }, options),
  ])
  return Object.fromEntries(calls) as unknown as WorkspaceClient<Operations>
}

async function request(
  route: Route,
  input: Input,
  options: ClientOptions,
  call: CallOptions,
): Promise<Result<unknown>> {
  const { attemptsMax = 4, waitMsMax = 20_000 } = options
  for (let attempt = 1; ; attempt += 1) {
    const result = await attemptOnce(route, input, options, call)
    if (result.ok) return result
    const waitMs = waitBeforeRetry(route, result, { attempt, attemptsMax, waitMsMax, random: Math.random() })
    if (waitMs === undefined) return result
    await new Promise((resolve) => setTimeout(resolve, waitMs))
    if (call.signal?.aborted) return result
  }
}

async function attemptOnce(
  route: Route,
  input: Input,
  { baseUrl, credential, fetch: send = fetch, timeoutMs = 30_000 }: ClientOptions,
  call: CallOptions,
): Promise<Result<unknown>> {
  const correlationId = call.correlationId ?? crypto.randomUUID()
  const { body, headers } = bodyOf(route, input)
  const key = input['idempotency_key']
  const address = `${baseUrl.replace(/\/+$/, '')}${addressOf(route, input)}`
  const timeout = AbortSignal.timeout(call.timeoutMs ?? timeoutMs)
  try {
    const response = await send(address, {
      method: route.method,
      headers: {
        accept: route.answer === 'text' ? '*/*' : 'application/json',
        'x-correlation-id': correlationId,
        ...credential?.(route.method),
        ...headers,
        ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'error',
      signal: call.signal ? AbortSignal.any([timeout, call.signal]) : timeout,
    })
    return await readAnswer(route, response, correlationId)
  } catch (error) {
    return notArrived(error, {
      correlationId,
      baseUrl,
      isCancelled: call.signal?.aborted ?? false,
      isLate: timeout.aborted,
    })
  }
}

/** A request without an answer. Its result is unknown: the service may have done it. */
function notArrived(
  error: unknown,
  about: { correlationId: string; baseUrl: string; isCancelled: boolean; isLate: boolean },
): Failure {
  const { correlationId } = about
  const unknown = 'It is unknown whether the request was done.'
  if (about.isCancelled)
    return { ok: false, status: 0, reason: 'cancelled', message: `Cancelled. ${unknown}`, correlationId }
  if (about.isLate) {
    return { ok: false, status: 0, reason: 'timeout', message: `No answer in time. ${unknown}`, correlationId }
  }
  const cause = error instanceof Error ? ((error.cause as { code?: string } | undefined)?.code ?? error.message) : ''
  const message = `${about.baseUrl} does not answer (${cause}). Is the address right, and is the service running?`
  return { ok: false, status: 0, reason: 'unreachable', message, correlationId }
}
