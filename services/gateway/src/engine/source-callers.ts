import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
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

/** The credential of a source: the hash of a static one, or the content of a wallet grant. Never the token itself. */
export type PresentedCredential =
  | { credentialSha256: string; grantedSourceId?: undefined; permissions?: undefined }
  | { credentialSha256?: undefined; grantedSourceId: string; permissions: string[] }

export interface SourceCallersOptions {
  wallet: Wallet
  /** The id of a workspace for any caller; null when it does not exist. */
  workspaceOf(slugs: Slugs): Promise<string | null>
  /** Asks contacts-consent whether this credential has the permission; throws its Fault if not. */
  admit(
    scope: CallScope,
    request: { sourceSlug: string; presented: PresentedCredential; permission: Permission },
  ): Promise<unknown>
  /** by credential: sign-ups, and all other requests */
  limits: { events: RateLimit; others: RateLimit }
  /** limit of unknown credentials */
  guesses: GuessLimit
  log: RequestLog
}

export interface SourceCallers {
  /** Executes an operation for a source, with the checks in the same order as for users. */
  answer(plan: Plan, rpc: Rpc, req: IncomingMessage, params: Record<string, string>): Promise<Record<string, unknown>>
}

const scopePrefix = 'subscription-source:'
/** An id that no source has. */
const noSource = '00000000-0000-0000-0000-000000000000'

/** The source of a grant and its permissions. A scope must name exactly one source, otherwise the grant has none. */
export function readGrant(scope: string): { grantedSourceId: string; permissions: string[] } {
  const words = [...new Set(scope.split(' ').filter(Boolean))]
  const named = words.filter((word) => word.startsWith(scopePrefix)).map((word) => word.slice(scopePrefix.length))
  const permissions = words.filter((word) => !word.startsWith(scopePrefix))
  return { grantedSourceId: named.length === 1 && isUuid(named[0]!) ? named[0]!.toLowerCase() : noSource, permissions }
}

/**
 * The callers of source routes. contacts-consent knows the source of a static credential: for a recently valid credential it
 * checks it in the same call that does the work, for others in a separate call before the body is read. A grant is checked by the
 * wallet first.
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
    req: IncomingMessage,
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

  /** Counts by credential or by granted source, so that guesses do not count for a source. */
  async function countRequest(plan: Plan, key: string): Promise<void> {
    const wait = await limitOf(plan).over(key)
    if (wait !== null) throw tooMany(wait)
  }

  type Work<T> = (presented: PresentedCredential) => Promise<T>

  /** Replaces a 401 of contacts-consent by that of the gateway, which names the authentication scheme. */
  function guarded<T>(req: IncomingMessage, work: Work<T>, trial?: Work<unknown>): Promise<T> {
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

  /** Checks whether the credential has the permission, without doing the work. */
  const admit = (plan: Plan, scope: CallScope, params: Record<string, string>, presented: PresentedCredential) => {
    const { source_slug: slug = '' } = params
    return options.admit(scope, { sourceSlug: isSlug(slug) ? slug : '', presented, permission: plan.permission! })
  }

  async function execute(
    plan: Plan,
    rpc: Rpc,
    {
      req,
      params,
      presented,
    }: { req: IncomingMessage; params: Record<string, string>; presented: PresentedCredential },
  ) {
    const scope = await scopeOf(req, presented, params)
    const read = await readRequest(plan, req, params)
      .then((parts) => ({ request: rpc.convertRequest(parts) }))
      .catch((error: unknown) => ({ error }))
    if ('request' in read)
      return rpc.convertReply(await rpc.call(scope, { ...read.request, presented }, timeoutMsFor(plan)))
    // a caller without the permission must not see the errors of the request
    await admit(plan, scope, params, presented)
    throw read.error
  }

  return {
    answer(plan, rpc, req, params) {
      const work = async (presented: PresentedCredential) => {
        const key = presented.credentialSha256 ?? presented.grantedSourceId
        await countRequest(plan, key)
        try {
          return await execute(plan, rpc, { req, params, presented })
        } catch (error) {
          if (error instanceof Fault && error.code === 'unauthenticated') await limitOf(plan).forget(key)
          throw error
        }
      }
      const trial = async (presented: PresentedCredential) =>
        admit(plan, await scopeOf(req, presented, params), params, presented)
      return guarded(req, work, trial)
    },
  }
}
