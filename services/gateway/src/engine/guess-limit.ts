import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'

export interface GuessLimitOptions {
  /** by client address */
  limit: RateLimit
  trustedProxies: number
  /** how long a refused credential is refused again without work; 0 turns this off */
  rememberMs: number
  /** Whether a refusal may be remembered, because it cannot change within seconds. */
  isFinal: (refusal: Fault) => boolean
}

/** Limits unknown credentials by client address, before they are looked up. */
export interface GuessLimit {
  /**
   * Runs the work, which throws Fault `unauthenticated` for an unknown credential. A credential that was valid within the last
   * 15 minutes is never limited. Of other credentials one request at a time runs, and each address has a limit of refusals per
   * minute: above it the answer is 429 without work. Valid credentials and failed lookups do not count for the address.
   *
   * Requests with the same credential wait for the first one, so it should be short. For slow work, such as reading a body,
   * there is a `trial`, which only checks the credential; it runs before the work of an unknown credential.
   */
  guard<T>(req: IncomingMessage, credential: string, work: () => Promise<T>, trial?: () => Promise<unknown>): Promise<T>
}

const validMs = 15 * 60_000
const entriesMax = 10_000

/** The result of the first request with a credential, for the concurrent requests with it. */
type Verdict = 'good' | 'over_limit' | 'unknown' | Fault

/** Credentials are stored as hashes. */
const keyOf = (credential: string) => hash('sha256', credential, 'base64')

const isRefusal = (error: unknown): error is Fault => error instanceof Fault && error.code === 'unauthenticated'
/** Faults that do not show whether the credential is valid; every other fault means that it is. */
const isInconclusive = (error: unknown) =>
  !(error instanceof Fault) || error.code === 'unavailable' || error.code === 'resource_exhausted'

export function guessLimit({ limit, trustedProxies, rememberMs, isFinal }: GuessLimitOptions): GuessLimit {
  const good = new LRUCache<string, true>({ max: entriesMax, ttl: validMs, updateAgeOnGet: true })
  const refused = new LRUCache<string, Fault>({ max: entriesMax, ttl: Math.max(1, rememberMs) })
  const trials = new Map<string, Promise<Verdict>>()

  function learn(key: string, error: unknown): Verdict {
    if (isRefusal(error)) {
      good.delete(key)
      if (rememberMs > 0 && isFinal(error)) refused.set(key, error)
      return error
    }
    if (isInconclusive(error)) return 'unknown'
    good.set(key, true)
    return 'good'
  }

  async function run<T>(key: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      learn(key, error)
      throw error
    }
  }

  /** The first request with a credential: only this one is counted, and all concurrent ones use its verdict. */
  async function runTrial<T>(key: string, address: string, work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<Verdict>()
    trials.set(key, promise)
    let verdict: Verdict = 'unknown'
    try {
      const wait = await limit.over(address)
      if (wait !== null) {
        verdict = 'over_limit'
        throw tooMany(wait, 'rate_limit_refused_credentials')
      }
      const result = await work()
      good.set(key, true)
      verdict = 'good'
      return result
    } catch (error) {
      if (verdict !== 'over_limit') verdict = learn(key, error)
      throw error
    } finally {
      if (verdict === 'good' || verdict === 'unknown') await limit.giveBack(address)
      trials.delete(key)
      resolve(verdict)
    }
  }

  return {
    async guard(req, credential, work, trial) {
      const key = keyOf(credential)
      for (;;) {
        const before = refused.get(key)
        if (before) throw before
        if (good.get(key)) return run(key, work)
        const running = trials.get(key)
        if (!running) {
          const address = clientAddress(req, trustedProxies)
          if (!trial) return runTrial(key, address, work)
          await runTrial(key, address, trial)
          return run(key, work)
        }
        const verdict = await running
        if (verdict === 'unknown') return run(key, work)
        if (verdict instanceof Fault) throw verdict
      }
    },
  }
}
