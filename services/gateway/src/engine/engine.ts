import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@lettergate/fault'
import { HttpFault, correlationIdOf, nothingHere, type HttpHandler } from '@lettergate/http'
import type { Caller, CallScope } from '@lettergate/service'
import { authenticate, type Authenticated, type BrowserSession, type Credentials } from './authenticate.ts'
import { authorise } from './authorise.ts'
import type { CallerRates } from './caller-rates.ts'
import { sendJson, type Exchange, type Handler } from './exchange.ts'
import type { Plan } from './plan.ts'
import { afterPreconditions } from './preconditions.ts'
import { readForm } from './read-form.ts'
import { readRequest } from './read-request.ts'
import type { Refusals } from './refusals.ts'
import type { RequestLog } from './request-log.ts'
import { routeTable } from './route-table.ts'
import type { Rpc, RpcRegistry } from './rpcs.ts'
import type { SourceCallers } from './source-callers.ts'
import { timeoutMsFor } from './timeouts.ts'
import type { Uploads } from './uploads.ts'

export interface EngineOptions {
  plans: readonly Plan[]
  /** by the names of `x-handler`, or for routes without a document */
  handlers: Readonly<Record<string, Handler>>
  /** routes that no document describes: pages, files, sign-in */
  routes: readonly { method: string; template: string; handler: Handler }[]
  /** the address whose route answers for a path without one */
  otherwise: (path: string) => string | undefined
  rpcs: RpcRegistry
  credentials: Credentials
  sources: SourceCallers
  rates: CallerRates
  log: RequestLog
  refusals: Refusals
  uploads: Uploads
  /** a reply that contradicts its document becomes an internal error */
  validateReplies: boolean
}

export interface Engine {
  /** Answers 404 for requests that are no operation. */
  handle: HttpHandler
}

type Route = (req: IncomingMessage, res: ServerResponse, params: Record<string, string>) => Promise<void> | void

const missing = ({ operationId }: Plan, kind: string, name = 'of nothing') =>
  new Error(`${operationId} names the ${kind} ${name}, which does not exist`)

/** The operations of the documents as one handler. */
export function openEngine(options: EngineOptions): Engine {
  const { plans, handlers, rpcs, credentials, sources, rates, log, refusals, uploads } = options
  const routes = routeTable<Route>()

  for (const plan of plans) {
    if (plan.form) {
      routes.add(plan.method, plan.template, formRouteOf(plan))
      continue
    }
    const rpc = plan.rpc === undefined ? undefined : findRpc(plan, plan.rpc)
    routes.add(plan.method, plan.template, routeOf(plan, rpc))
  }
  for (const { method, template, handler } of options.routes) {
    routes.add(method, template, (req, res, params) =>
      handler({
        req,
        res,
        params,
        correlationId: correlationIdOf(req),
        caller: null,
        document: null,
        scope: withoutCaller,
        read: async () => ({ path: params, query: {}, body: {}, idempotencyKey: undefined }),
        answer: (status, body) => sendJson(res, status, body),
      }),
    )
  }

  function findRpc(plan: Plan, name: string): Rpc {
    const rpc = rpcs.find(name)
    if (!rpc) throw missing(plan, 'rpc', name)
    const preconditions = plan.preconditions.map((precondition) => {
      const found = rpcs.find(precondition)
      if (!found) throw missing(plan, 'precondition', precondition)
      return found
    })
    return afterPreconditions(rpc, preconditions)
  }

  function routeOf(plan: Plan, rpc: Rpc | undefined): Route {
    const handler = plan.handler === undefined ? undefined : handlers[plan.handler]
    if (plan.handler !== undefined && !handler) throw missing(plan, 'handler', plan.handler)
    const exchange = (
      req: IncomingMessage,
      res: ServerResponse,
      params: Record<string, string>,
      caller: Authenticated | null,
    ): Exchange => ({
      req,
      res,
      params,
      caller,
      correlationId: correlationIdOf(req),
      document: plan.document,
      scope: () => (caller ? scopeOf(caller, params, correlationIdOf(req)) : withoutCaller()),
      read: () => readRequest(plan, req, params),
      answer: (status, body) => {
        if (status === plan.status) check(plan, body)
        sendJson(res, status, body)
      },
    })
    if (handler && plan.credential === 'public') return (req, res, params) => handler(exchange(req, res, params, null))
    if (handler) return async (req, res, params) => handler(exchange(req, res, params, await admit(plan, req, params)))
    if (!rpc) throw missing(plan, 'rpc')
    if (plan.credential === 'source')
      return async (req, res, params) => reply(plan, res, await sources.answer(plan, rpc, req, params))
    return async (req, res, params) => {
      const caller = await admit(plan, req, params)
      await answer(plan, rpc, { req, res, params, caller })
    }
  }

  /** Like other operations; the form is read while the owning service stores its file. */
  function formRouteOf(plan: Plan): Route {
    const rpc = plan.rpc === undefined ? undefined : rpcs.findForm(plan.rpc)
    if (!rpc) throw missing(plan, 'rpc', plan.rpc)
    return async (req, res, params) => {
      const caller = await admit(plan, req, params)
      const answered = await uploads.run(caller, req, (limits) =>
        rpc.send(
          scopeOf(caller, params, correlationIdOf(req)),
          readForm(req, plan.form!, { ...limits, fileBytesMax: plan.bodyBytesMax }),
          limits.timeoutMs,
        ),
      )
      reply(plan, res, rpc.convertReply(answered))
    }
  }

  function check(plan: Plan, reply: unknown): void {
    const validate = options.validateReplies ? plan.validateReply() : undefined
    if (!validate || validate(reply)) return
    throw new Error(`${plan.operationId} answered what its document does not allow: ${JSON.stringify(validate.errors)}`)
  }

  /** Checks 401, then 404 for the workspace, then 403; 429 in between for the caller's rate, and at the end for the workspace's. */
  async function admit(plan: Plan, req: IncomingMessage, params: Record<string, string>): Promise<Authenticated> {
    const { organization_slug: organization, workspace_slug: workspace } = params
    const slugs = organization === undefined || workspace === undefined ? null : { organization, workspace }
    const caller = await authenticate(req, plan, slugs, credentials)
    log.callerIs(req, caller.walletUserId, caller.principal.workspace?.id)
    await rates.countRequest(caller)
    if (slugs && !caller.principal.workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
    try {
      authorise(req, plan, caller)
    } catch (error) {
      await refusals(plan, scopeOf(caller, params, correlationIdOf(req)), params, error)
      throw error
    }
    await rates.countAllowed(plan, caller)
    return caller
  }

  /** Checks 422 for headers, query and body, then 404 for ids of the path, then calls the owning service. */
  async function answer(
    plan: Plan,
    rpc: Rpc,
    {
      req,
      res,
      params,
      caller,
    }: { req: IncomingMessage; res: ServerResponse; params: Record<string, string>; caller: Authenticated },
  ) {
    const scope = scopeOf(caller, params, correlationIdOf(req))
    try {
      const parts = await readRequest(plan, req, params)
      const answered = await rpc.call(withSession(scope, caller), rpc.convertRequest(parts), timeoutMsFor(plan))
      reply(plan, res, rpc.convertReply(answered))
    } catch (error) {
      await refusals(plan, scope, params, error)
      throw error
    }
  }

  function reply(plan: Plan, res: ServerResponse, body: Record<string, unknown>): void {
    check(plan, body)
    sendJson(res, plan.status, body)
  }

  const handle: HttpHandler = async (req, res) => {
    const { method = '', url = '' } = req
    const query = url.indexOf('?')
    const path = query === -1 ? url : url.slice(0, query)
    let match = routes.match(method, path)
    const instead = match ? undefined : options.otherwise(path)
    if (instead !== undefined) match = routes.match(method, instead)
    if (!match) throw nothingHere()
    log.observe(req, res, match.template)
    if (!match.route) {
      const allow = match.allow.join(', ')
      throw new HttpFault(405, 'method_not_allowed', `This address takes ${allow}, not ${method}.`, {
        headers: { Allow: allow },
      })
    }
    try {
      await match.route(req, res, match.params)
    } catch (error) {
      log.refused(req, error)
      if (error instanceof Fault && error.code === 'not_found') throw nothingHere() // whatever was not there
      throw error
    }
  }
  return { handle }
}

function withoutCaller(): never {
  throw new Error('nobody asks on a public route')
}

function scopeOf(
  { walletUserId, principal, authMethod }: Authenticated,
  { organization_slug: organization = null, workspace_slug: workspace = null }: Record<string, string | null>,
  correlationId: string,
): CallScope {
  const caller: Caller = {
    workspaceId: principal.workspace?.id ?? null,
    organization,
    workspace,
    actor: walletUserId,
    actorKind: authMethod === 'service' ? 'service' : principal.identityType,
    authMethod,
    role: principal.workspace?.role ?? null,
    platformRole: principal.platformRole,
    correlationId,
  }
  return { caller, deadline: Infinity, signal: new AbortController().signal }
}

/** The call scope with the browser session of the caller, which stays in this process. */
export type SessionScope = CallScope & { readonly session: BrowserSession | null }

const withSession = (scope: CallScope, { session }: Authenticated): SessionScope => ({ ...scope, session })
