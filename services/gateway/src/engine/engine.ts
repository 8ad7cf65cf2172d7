import type { Request, RequestHandler, Response } from 'express'
import { Fault } from '@lettergate/fault'
import { HttpFault, correlationIdOf } from '@lettergate/http'
import type { Caller, CallScope } from '@lettergate/service'
import { authenticate, type Authenticated, type Credentials } from './authenticate.ts'
import { authorise } from './authorise.ts'
import type { CallerRates } from './caller-rates.ts'
import { sendJson, type Exchange, type Handler } from './exchange.ts'
import type { Plan } from './plan.ts'
import { afterPreconditions } from './preconditions.ts'
import { readRequest } from './read-request.ts'
import type { RequestLog } from './request-log.ts'
import { routeTable } from './route-table.ts'
import type { Rpc, RpcRegistry } from './rpcs.ts'
import type { SourceCallers } from './source-callers.ts'
import { timeoutMsFor } from './timeouts.ts'

export interface EngineOptions {
  plans: readonly Plan[]
  /** by the names that `x-handler` uses, or for routes that no document describes */
  handlers: Readonly<Record<string, Handler>>
  /** routes beside the documents: pages, files, sign-in */
  routes: readonly { method: string; template: string; handler: Handler }[]
  rpcs: RpcRegistry
  credentials: Credentials
  sources: SourceCallers
  rates: CallerRates
  log: RequestLog
  /** a reply that contradicts its document becomes an error of ours */
  validateReplies: boolean
}

export interface Engine {
  middleware: RequestHandler
  /** operationIds that answer 501 */
  notOffered: readonly string[]
}

/** The operations that answer 501, because no rpc of the contracts stands behind them. */
export const notOfferedOf = (plans: readonly Plan[], rpcs: RpcRegistry): string[] =>
  plans
    .filter(({ handler, rpc }) => handler === undefined && (rpc === undefined || !rpcs.has(rpc)))
    .map(({ operationId }) => operationId)

type Route = (req: Request, res: Response, params: Record<string, string>) => Promise<void> | void

const notOfferedYet = () =>
  new HttpFault(
    501,
    'not_offered',
    'This operation is described but not offered yet. It comes with a later release; nothing was changed.',
  )

/** The operations of the documents as one middleware. What it does not know is left to the next, which answers 404. */
export function openEngine(options: EngineOptions): Engine {
  const { plans, handlers, rpcs, credentials, sources, rates, log } = options
  const routes = routeTable<Route>()

  for (const plan of plans) {
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

  function findRpc(plan: Plan, name: string): Rpc | undefined {
    const rpc = rpcs.find(name)
    const preconditions = plan.preconditions.map((precondition) => {
      const found = rpcs.find(precondition)
      if (!found) throw new Error(`${plan.operationId} names the precondition ${precondition}, which does not exist`)
      return found
    })
    return rpc && afterPreconditions(rpc, preconditions)
  }

  function routeOf(plan: Plan, rpc: Rpc | undefined): Route {
    const handler = plan.handler === undefined ? undefined : handlers[plan.handler]
    if (plan.handler !== undefined && !handler)
      throw new Error(`${plan.operationId} names the handler ${plan.handler}, which does not exist`)
    const exchange = (
      req: Request,
      res: Response,
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
    if (plan.credential === 'source') {
      return async (req, res, params) => {
        if (!rpc) {
          await sources.identify(req)
          throw notOfferedYet()
        }
        reply(plan, res, await sources.answer(plan, rpc, req, params))
      }
    }
    return async (req, res, params) => {
      const caller = await admit(plan, req, params)
      if (handler) return handler(exchange(req, res, params, caller))
      if (!rpc) throw notOfferedYet()
      await answer(plan, rpc, { req, res, params, caller })
    }
  }

  function check(plan: Plan, reply: unknown): void {
    const validate = options.validateReplies ? plan.validateReply() : undefined
    if (!validate || validate(reply)) return
    throw new Error(`${plan.operationId} answered what its document does not allow: ${JSON.stringify(validate.errors)}`)
  }

  /** 401, then 404 for the workspace, then 403; 429 in between for a caller over their rate, and at the end for a workspace. */
  async function admit(plan: Plan, req: Request, params: Record<string, string>): Promise<Authenticated> {
    const { organization_slug: organization, workspace_slug: workspace } = params
    const slugs = organization === undefined || workspace === undefined ? null : { organization, workspace }
    const caller = await authenticate(req, plan, slugs, credentials)
    log.callerIs(req, caller.walletUserId, caller.principal.workspace?.id)
    await rates.countRequest(caller)
    if (slugs && !caller.principal.workspace) throw new Fault('not_found', 'workspace', 'There is no such workspace.')
    authorise(req, plan, caller)
    await rates.countAllowed(plan, caller)
    return caller
  }

  /** 422 for headers, query and body, then 404 for ids that name nothing, then whatever the owning service says. */
  async function answer(
    plan: Plan,
    rpc: Rpc,
    {
      req,
      res,
      params,
      caller,
    }: { req: Request; res: Response; params: Record<string, string>; caller: Authenticated },
  ) {
    const parts = await readRequest(plan, req, params)
    const scope = scopeOf(caller, params, correlationIdOf(req))
    const answered = await rpc.call(withCsrfToken(scope, caller), rpc.convertRequest(parts), timeoutMsFor(plan))
    reply(plan, res, rpc.convertReply(answered))
  }

  function reply(plan: Plan, res: Response, body: Record<string, unknown>): void {
    check(plan, body)
    sendJson(res, plan.status, body)
  }

  const middleware: RequestHandler = (req, res, next) => {
    const query = req.url.indexOf('?')
    const match = routes.match(req.method, query === -1 ? req.url : req.url.slice(0, query))
    if (!match) return next()
    log.observe(req, res, match.template)
    if (!match.route) {
      const allow = match.allow.join(', ')
      return next(
        new HttpFault(405, 'method_not_allowed', `This address takes ${allow}, not ${req.method}.`, {
          headers: { Allow: allow },
        }),
      )
    }
    const fail = (error: unknown) => {
      log.refused(req, error)
      if (error instanceof Fault && error.code === 'not_found') return next() // every 404 is the same page, whatever was not there
      next(error instanceof Fault && error.reason === 'unimplemented' ? notOfferedYet() : error)
    }
    try {
      Promise.resolve(match.route(req, res, match.params)).catch(fail)
    } catch (error) {
      fail(error)
    }
  }
  return { middleware, notOffered: notOfferedOf(plans, rpcs) }
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

/** A call scope of a browser session; the token stays in this process. */
export type SessionScope = CallScope & { readonly csrfToken: string | null }

const withCsrfToken = (scope: CallScope, { csrfToken }: Authenticated): SessionScope => ({ ...scope, csrfToken })
