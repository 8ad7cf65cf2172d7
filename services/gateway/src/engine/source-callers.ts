import type { Request } from 'express'
import { createHash } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import { correlationIdOf } from '@lettergate/http'
import type { CallScope } from '@lettergate/service'
import { isSlug } from '../domain/slug.ts'
import { isUuid } from '../domain/uuid.ts'
import { clientAddress, tooMany, type RateLimit } from '../public/rate-limit.ts'
import { signInAgain, sourceTokenOf, unauthenticated, wrongKind } from './authenticate.ts'
import type { Permission, Plan } from './plan.ts'
import type { Slugs } from './principals.ts'
import { readRequest } from './read-request.ts'
import type { RequestLog } from './request-log.ts'
import type { Rpc } from './rpcs.ts'
import { timeoutMsFor } from './timeouts.ts'
import type { Wallet } from './wallet.ts'

/** What a source came with: a static credential by its hash, or what a grant of the wallet says. Never the token itself. */
export type PresentedCredential =
  | { credentialSha256: string; grantedSourceId?: undefined; permissions?: undefined }
  | { credentialSha256?: undefined; grantedSourceId: string; permissions: string[] }

export interface SourceCallersOptions {
  wallet: Wallet
  /** The id of a workspace, whoever asks; null: there is none. */
  workspaceOf(slugs: Slugs): Promise<string | null>
  /** Asks the owner of sources whether this credential may do that; throws its Fault when not. */
  admit(
    scope: CallScope,
    request: { sourceSlug: string; presented: PresentedCredential; permission: Permission },
  ): Promise<unknown>
  /** by credential, and by client address of those whose credentials are refused */
  limits: { events: RateLimit; refused: RateLimit }
  trustedProxies: number
  log: RequestLog
}

export interface SourceCallers {
  /** 401 for what is no live credential of a source, as far as the gateway can tell; 503 when the wallet cannot say. */
  identify(req: Request): Promise<PresentedCredential>
  /** Carries an operation out for a source; the checks come in the same order as for people. */
  answer(plan: Plan, rpc: Rpc, req: Request, params: Record<string, string>): Promise<Record<string, unknown>>
}

const staticPrefix = 'lgs_'
const scopePrefix = 'subscription-source:'
/** The id that no source has. */
const noSource = '00000000-0000-0000-0000-000000000000'

/** The one source that a grant is scoped to, and what it may do there. Naming none, or two, names no source. */
export function readGrant(scope: string): { grantedSourceId: string; permissions: string[] } {
  const words = [...new Set(scope.split(' ').filter(Boolean))]
  const named = words.filter((word) => word.startsWith(scopePrefix)).map((word) => word.slice(scopePrefix.length))
  const permissions = words.filter((word) => !word.startsWith(scopePrefix))
  return { grantedSourceId: named.length === 1 && isUuid(named[0]!) ? named[0]!.toLowerCase() : noSource, permissions }
}

/**
 * The callers of source routes. Who a static credential belongs to is for the owner of sources to say, in the same call
 * that does the work; the wallet says it of a grant before that call.
 */
export function openSourceCallers(options: SourceCallersOptions): SourceCallers {
  const { wallet, limits, log } = options

  async function identify(req: Request): Promise<PresentedCredential> {
    const token = sourceTokenOf(req)
    if (token.startsWith(staticPrefix)) return { credentialSha256: createHash('sha256').update(token).digest('hex') }
    const found = await wallet.introspect(token)
    if (found === null) throw signInAgain()
    if (found.tokenUse !== 'grant') throw wrongKind()
    return readGrant(found.scope)
  }

  async function scopeOf(
    req: Request,
    presented: PresentedCredential,
    params: Record<string, string>,
  ): Promise<CallScope> {
    const { organization_slug: organization = '', workspace_slug: workspace = '' } = params
    const workspaceId = await options.workspaceOf({ organization, workspace })
    const isKnown = workspaceId !== null
    log.callerIs(req, presented.grantedSourceId ?? 'source', workspaceId ?? undefined)
    return {
      caller: {
        workspaceId,
        organization: isKnown ? organization : null,
        workspace: isKnown ? workspace : null,
        actor: presented.grantedSourceId ?? '',
        actorKind: 'source',
        authMethod: 'source',
        role: null,
        platformRole: null,
        correlationId: correlationIdOf(req),
      },
      deadline: Infinity,
      signal: new AbortController().signal,
    }
  }

  /** A budget is one credential's or one granted source's: somebody who only guesses uses up nobody else's. */
  async function spend(plan: Plan, budget: string): Promise<void> {
    const wait = plan.rateLimit === 'source_events' ? await limits.events.over(budget) : null
    if (wait !== null) throw tooMany(wait)
  }

  /** What a caller is told whose credential is not good: 401, or 429 once its address has come with too many of them. */
  async function refusal(req: Request, { reason, message }: Fault): Promise<Fault> {
    const wait = await limits.refused.over(clientAddress(req, options.trustedProxies))
    return wait === null ? unauthenticated(reason, message) : tooMany(wait)
  }

  async function refusing<T>(req: Request, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw error instanceof Fault && error.code === 'unauthenticated' ? await refusal(req, error) : error
    }
  }

  async function carryOut(
    plan: Plan,
    rpc: Rpc,
    { req, params, presented }: { req: Request; params: Record<string, string>; presented: PresentedCredential },
  ) {
    const scope = await scopeOf(req, presented, params)
    const read = await readRequest(plan, req, params)
      .then((parts) => ({ request: rpc.convertRequest(parts) }))
      .catch((error: unknown) => ({ error }))
    if ('request' in read)
      return rpc.convertReply(await rpc.call(scope, { ...read.request, presented }, timeoutMsFor(plan)))
    // what is wrong with a request is for those to know who may make it
    const { source_slug: slug = '' } = params
    await options.admit(scope, { sourceSlug: isSlug(slug) ? slug : '', presented, permission: plan.permission! })
    throw read.error
  }

  return {
    identify: (req) => refusing(req, () => identify(req)),
    answer: (plan, rpc, req, params) =>
      refusing(req, async () => {
        const presented = await identify(req)
        const budget = presented.credentialSha256 ?? presented.grantedSourceId
        await spend(plan, budget)
        try {
          return await carryOut(plan, rpc, { req, params, presented })
        } catch (error) {
          if (error instanceof Fault && error.code === 'unauthenticated') await limits.events.forget(budget)
          throw error
        }
      }),
  }
}
