import type { Request } from 'express'
import { createHash } from 'node:crypto'
import { Fault } from '@lettergate/fault'
import { correlationIdOf } from '@lettergate/http'
import { tooMany, type RateLimit } from '@lettergate/http/rate-limit'
import type { CallScope } from '@lettergate/service'
import { isSlug } from '@lettergate/values/slug'
import { isUuid } from '@lettergate/values/uuid'
import { signInAgain, sourcePrefix, sourceTokenOf, unauthenticated, wrongKind } from './authenticate.ts'
import type { GuessLimit } from './guess-limit.ts'
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
  /** by credential: sign-ups, and everything else */
  limits: { events: RateLimit; others: RateLimit }
  /** of credentials that are no source's */
  guesses: GuessLimit
  log: RequestLog
}

export interface SourceCallers {
  /** 401 for what is no live credential of a source, as far as the gateway can tell; 503 when the wallet cannot say. */
  identify(req: Request): Promise<PresentedCredential>
  /** Carries an operation out for a source; the checks come in the same order as for people. */
  answer(plan: Plan, rpc: Rpc, req: Request, params: Record<string, string>): Promise<Record<string, unknown>>
}

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
 * The callers of source routes. Who a static credential belongs to is for the owner of sources to say: of one that was
 * good lately in the same call that does the work, of any other in a call of its own, before the body is read. The
 * wallet says it of a grant before either.
 */
export function openSourceCallers(options: SourceCallersOptions): SourceCallers {
  const { wallet, limits, guesses, log } = options

  async function identify(token: string): Promise<PresentedCredential> {
    if (token.startsWith(sourcePrefix)) return { credentialSha256: createHash('sha256').update(token).digest('hex') }
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

  const limitOf = (plan: Plan) => (plan.rateLimit === 'source_events' ? limits.events : limits.others)

  /** A budget is one credential's or one granted source's: somebody who only guesses uses up nobody else's. */
  async function spend(plan: Plan, budget: string): Promise<void> {
    const wait = await limitOf(plan).over(budget)
    if (wait !== null) throw tooMany(wait)
  }

  type Work<T> = (presented: PresentedCredential) => Promise<T>

  /** A 401 of the owner of sources is the gateway's own, which names the scheme. */
  function guarded<T>(req: Request, work: Work<T>, trial?: Work<unknown>): Promise<T> {
    const token = sourceTokenOf(req)
    let identified: Promise<PresentedCredential> | undefined
    const known =
      <R>(next: Work<R>) =>
      async () => {
        try {
          return await next(await (identified ??= identify(token)))
        } catch (error) {
          if (error instanceof Fault && error.code === 'unauthenticated')
            throw unauthenticated(error.reason, error.message)
          throw error
        }
      }
    return guesses.guard(req, token, known(work), trial && known(trial))
  }

  /** Whether the credential may do that, without doing it. */
  const admit = (plan: Plan, scope: CallScope, params: Record<string, string>, presented: PresentedCredential) => {
    const { source_slug: slug = '' } = params
    return options.admit(scope, { sourceSlug: isSlug(slug) ? slug : '', presented, permission: plan.permission! })
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
    await admit(plan, scope, params, presented)
    throw read.error
  }

  return {
    identify: (req) => guarded(req, (presented) => Promise.resolve(presented)),
    answer(plan, rpc, req, params) {
      const work = async (presented: PresentedCredential) => {
        const budget = presented.credentialSha256 ?? presented.grantedSourceId
        await spend(plan, budget)
        try {
          return await carryOut(plan, rpc, { req, params, presented })
        } catch (error) {
          if (error instanceof Fault && error.code === 'unauthenticated') await limitOf(plan).forget(budget)
          throw error
        }
      }
      const trial = async (presented: PresentedCredential) =>
        admit(plan, await scopeOf(req, presented, params), params, presented)
      return guarded(req, work, trial)
    },
  }
}
