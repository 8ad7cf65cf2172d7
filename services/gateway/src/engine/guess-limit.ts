import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { Fault } from '@lettergate/fault'
import { clientAddress, tooMany, type RateLimit } from '@lettergate/http/rate-limit'

export interface GuessLimitOptions {
  /** by client address */
  limit: RateLimit
  trustedProxies: number
  /** how long a refused credential is refused again without work; 0: not at all */
  rememberMs: number
  /** Which refusals may be remembered: those that the next seconds cannot change. */
  isFinal: (refusal: Fault) => boolean
}

/** Limits credentials that turn out to be nobody's, by client address, before anything is asked about them. */
export interface GuessLimit {
  /**
   * Runs the work, which throws Fault `unauthenticated` when the credential is nobody's. A credential that was good
   * lately always goes on. Of any other, one request at a time runs, and the address has so many refusals a minute:
   * over them it is 429 without work. A credential that is good, or that nobody could look at, costs its address nothing.
   *
   * Others with the same credential wait for the one that runs, so it should be short. Work that may take long, such as
   * reading a body, comes with a `trial`, which only finds out whether the credential is good; it runs before the work
   * when that is not known.
   */
  guard<T>(req: IncomingMessage, credential: string, work: () => Promise<T>, trial?: () => Promise<unknown>): Promise<T>
}

const goodMs = 15 * 60_000
const entriesMax = 10_000

/** What a first request found out about its credential, for those that came with it meanwhile. */
type Verdict = 'good' | 'over_limit' | 'unknown' | Fault

/** Credentials are kept as hashes. */
const keyOf = (credential: string) => hash('sha256', credential, 'base64')

const isRefusal = (error: unknown): error is Fault => error instanceof Fault && error.code === 'unauthenticated'
/** Every other fault is said to somebody whose credential was good, but for these. */
const saysNothing = (error: unknown) =>
  !(error instanceof Fault) || error.code === 'unavailable' || error.code === 'resource_exhausted'

export function guessLimit({ limit, trustedProxies, rememberMs, isFinal }: GuessLimitOptions): GuessLimit {
  const good = new LRUCache<string, true>({ max: entriesMax, ttl: goodMs, updateAgeOnGet: true })
  const refused = new LRUCache<string, Fault>({ max: entriesMax, ttl: Math.max(1, rememberMs) })
  const trials = new Map<string, Promise<Verdict>>()

  function learn(key: string, error: unknown): Verdict {
    if (isRefusal(error)) {
      good.delete(key)
      if (rememberMs > 0 && isFinal(error)) refused.set(key, error)
      return error
    }
    if (saysNothing(error)) return 'unknown'
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

  /** The first request with a credential: it alone is counted, and its verdict is everybody's. */
  async function tryOut<T>(key: string, address: string, work: () => Promise<T>): Promise<T> {
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
        const underWay = trials.get(key)
        if (!underWay) {
          const address = clientAddress(req, trustedProxies)
          if (!trial) return tryOut(key, address, work)
          await tryOut(key, address, trial)
          return run(key, work)
        }
        const verdict = await underWay
        if (verdict === 'unknown') return run(key, work)
        if (verdict instanceof Fault) throw verdict
      }
    },
  }
}
